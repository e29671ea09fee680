//! What the settings file silences: `[[ignore]]` with a path, the rules it is about, and a reason.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use globset::{GlobBuilder, GlobMatcher};
use serde::Deserialize;

use super::layer::one_or_many;
use super::settle::rules;

/// One `[[ignore]]` as it is written.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Written {
    path: String,
    #[serde(default, deserialize_with = "one_or_many")]
    rules: Vec<String>,
    reason: String,
}

/// One that was understood.
#[derive(Clone, Debug)]
pub struct Ignore {
    /// The folder that the pattern is relative to.
    folder: PathBuf,
    /// As the user wrote it.
    pub path: String,
    pattern: GlobMatcher,
    /// All if there are none.
    rules: Vec<&'static str>,
    /// Why it is fine.
    pub reason: String,
}

impl Ignore {
    /// Understands what stands in the settings file `file`.
    pub fn new(written: Written, file: &Path) -> Result<Self> {
        let Written { path, rules: named, reason } = written;
        let context = || format!("{}: ignore `{path}`", file.display());
        let plain = path.trim_end_matches('/');
        let plain = plain.trim_start_matches("./");
        let pattern = GlobBuilder::new(plain)
            .literal_separator(true)
            .build()
            .map_err(|error| anyhow::anyhow!("{}", error.kind()))
            .with_context(context)?;
        if plain.is_empty() || reason.trim().is_empty() {
            bail!("{}: an ignore needs a path and a reason", file.display());
        }
        let rules = if named.is_empty() { vec![] } else { rules(&named).with_context(context)? };
        let folder = file.parent().unwrap_or(Path::new("/"));
        let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
        let pattern = pattern.compile_matcher();
        Ok(Self { folder, path, pattern, rules, reason: reason.trim().to_owned() })
    }

    /// Whether it is about this rule.
    pub fn is_about(&self, rule: &str) -> bool {
        self.rules.is_empty() || self.rules.contains(&rule)
    }

    /// Whether it is about this file, given with its folders: the pattern names it or a folder around it.
    pub fn covers(&self, file: &Path) -> bool {
        let inside = file.strip_prefix(&self.folder).unwrap_or(file);
        inside.ancestors().any(|part| self.pattern.is_match(part))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ignore(path: &str, named: &[&str], reason: &str) -> Result<Ignore> {
        let rules = named.iter().map(|&name| name.to_owned()).collect();
        let written = Written { path: path.into(), rules, reason: reason.into() };
        Ignore::new(written, Path::new("/no such/cegas.toml"))
    }

    #[test]
    fn a_pattern_names_files_and_folders() {
        for (path, file, covered) in [
            ("third_party", "third_party/a/b.c", true),
            ("third_party/", "third_party/b.c", true),
            ("./third_party", "third_party/b.c", true),
            ("./x/*.c", "x/b.c", true),
            ("third_party", "x/third_party/b.c", false),
            ("**/gen", "x/y/gen/b.c", true),
            ("*.c", "a.c", true),
            ("*.c", "x/a.c", false),
            ("**/*.y.c", "x/a.y.c", true),
            ("x/[ab].c", "x/b.c", true),
        ] {
            let ignore = ignore(path, &[], "why").unwrap();
            assert_eq!(ignore.covers(&Path::new("/no such").join(file)), covered, "{path} {file}");
        }
        let leaks = ignore("x", &["leak"], "why").unwrap();
        assert!(leaks.is_about("leak") && !leaks.is_about("assertion"));
    }

    #[test]
    fn a_slip_is_answered() {
        for (path, named, reason, words) in [
            ("[", &[][..], "why", "ignore `[`"),
            ("", &[], "why", "needs a path"),
            ("x", &[], " ", "a reason"),
            ("x", &["leek"], "why", "did you mean `leak`?"),
        ] {
            let error = format!("{:#}", ignore(path, named, reason).unwrap_err());
            assert!(error.contains(words) && error.contains("cegas.toml"), "{error}");
        }
    }
}
