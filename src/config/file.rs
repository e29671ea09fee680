//! `cegas.toml`: found upward from the project, read with the place of every mistake, and confined.
//!
//! Invariant: a file that was merely found cannot make the tool write outside the file's own folder, nor over anything in
//! there but a report, nor believe verdicts that lie there.

use std::fs;
use std::io::Read;
use std::path::{Component, Path, PathBuf};

use anyhow::{Context, Result, bail};
use toml::de::DeTable;

use super::layer::Layer;
use super::nearest::nearest;
use crate::budgets::SETTINGS_BYTES;

/// How much of a file tells whether it is a report.
const REPORT_HEAD: u64 = 4096;

/// The name of the settings file.
pub const NAME: &str = "cegas.toml";

/// Who vouches for a settings file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trust {
    /// The user named it.
    Named,
    /// It lay in or above the project.
    Found,
}

/// The settings file for a project: in its folder or the nearest one above, but not outside the
/// repository it belongs to.
pub fn find(base: &Path) -> Option<PathBuf> {
    for folder in base.ancestors() {
        let candidate = folder.join(NAME);
        if candidate.is_file() {
            return Some(candidate);
        }
        if folder.join(".git").exists() {
            return None;
        }
    }
    None
}

/// Reads a settings file; its relative paths become absolute, seen from its folder.
pub fn load(path: &Path, trust: Trust) -> Result<Layer> {
    let text = read(path).with_context(|| format!("cannot read {}", path.display()))?;
    let mut layer = parse(path, &text)?;
    if let Some(contradiction) = layer.contradiction() {
        bail!("{}: {contradiction}", path.display());
    }
    let folder = path.parent().unwrap_or(Path::new("/"));
    if let Some(dir) = &mut layer.build_dir {
        *dir = folder.join(&*dir);
    }
    if trust == Trust::Found && layer.cache_dir.is_some() {
        bail!(
            "{}: a scan believes what lies in its cache, so `cache-dir` is for you to name: by --cache-dir, or by \
             --config with this file",
            path.display()
        );
    }
    let Layer { json, sarif, html, junit, proofs, cache_dir, baseline, .. } = &mut layer;
    // The baseline is only read, but a message about it would tell what lies elsewhere.
    let named = [json, sarif, html, junit, proofs, cache_dir, baseline];
    for place in named.into_iter().flatten().filter(|place| place.as_os_str() != "-") {
        let absolute = folder.join(&*place);
        if trust == Trust::Found && !is_inside(&absolute, folder) {
            bail!(
                "{}: {} lies outside the project; name it on the command line if you mean it",
                path.display(),
                place.display()
            );
        }
        *place = absolute;
    }
    if trust == Trust::Found {
        refuse_overwriting(&layer).with_context(|| path.display().to_string())?;
    }
    Ok(layer)
}

/// Refuses outputs in whose place something lies that is no earlier report of that kind.
fn refuse_overwriting(layer: &Layer) -> Result<()> {
    // How each kind begins, and what stands soon after.
    let reports = [
        (&layer.json, "{", "\"cegas-scan\""),
        (&layer.sarif, "{", "sarif-2.1.0"),
        (&layer.html, "<!doctype html>", "cegas-scan"),
        (&layer.junit, "<?xml", "<testsuites"),
        (&layer.proofs, "- entry_type", "cegas-scan"),
    ];
    for (place, start, mark) in reports {
        let Some(place) = place.as_deref().filter(|place| place.as_os_str() != "-") else {
            continue;
        };
        let Ok(there) = fs::metadata(place) else { continue };
        let is_report = || -> Result<bool> {
            let mut head = Vec::new();
            fs::File::open(place)?.take(REPORT_HEAD).read_to_end(&mut head)?;
            let head = String::from_utf8_lossy(&head);
            Ok(head.is_empty() || head.starts_with(start) && head.contains(mark))
        };
        // A folder is refused where all outputs are looked at.
        let may_stay = there.is_dir() || there.is_file() && is_report()?;
        if !may_stay {
            bail!(
                "{} is there already and is no such report; remove it, or name it on the command line",
                place.display()
            );
        }
    }
    Ok(())
}

fn read(path: &Path) -> Result<String> {
    if !fs::metadata(path)?.is_file() {
        bail!("not a regular file");
    }
    let mut text = String::new();
    fs::File::open(path)?.take(SETTINGS_BYTES + 1).read_to_string(&mut text)?;
    if text.len() as u64 > SETTINGS_BYTES {
        bail!("larger than {SETTINGS_BYTES} bytes; is this a settings file?");
    }
    Ok(text)
}

/// Checks the keys first, so that a misspelt one is answered with the right one.
fn parse(path: &Path, text: &str) -> Result<Layer> {
    let fail = |offset: Option<usize>, message: String| {
        let line =
            text.get(..offset.unwrap_or(0)).map_or(1, |before| before.lines().count().max(1));
        let at_line_start =
            offset.is_some_and(|o| text.get(..o).is_some_and(|b| b.ends_with('\n')));
        anyhow::anyhow!("{}:{}: {message}", path.display(), line + usize::from(at_line_start))
    };
    let table = DeTable::parse(text)
        .map_err(|e| fail(e.span().map(|s| s.start), e.message().to_owned()))?;
    let known = Layer::keys();
    let mut keys: Vec<_> = table.get_ref().keys().collect();
    keys.sort_by_key(|key| key.span().start);
    for key in keys {
        let name: &str = key.get_ref();
        if !known.iter().any(|k| k == name) {
            let hint = match nearest(name, known.iter().map(String::as_str)) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("known keys: {}", known.join(", ")),
            };
            return Err(fail(Some(key.span().start), format!("unknown key `{name}`; {hint}")));
        }
    }
    toml::from_str(text).map_err(|e| fail(e.span().map(|s| s.start), e.message().to_owned()))
}

/// Whether a path, with symbolic links followed as far as it exists, lies in a folder and leaves
/// git's own files alone.
fn is_inside(path: &Path, folder: &Path) -> bool {
    let Ok(folder) = folder.canonicalize() else { return false };
    let mut existing = path;
    let resolved = loop {
        if let Ok(real) = existing.canonicalize() {
            break real;
        }
        match existing.parent() {
            Some(parent) => existing = parent,
            None => return false,
        }
    };
    let Ok(rest) = path.strip_prefix(existing) else { return false };
    let plain = rest.components().all(|c| matches!(c, Component::Normal(_)));
    let Ok(within) = resolved.strip_prefix(&folder) else { return false };
    plain && within.components().chain(rest.components()).all(|c| c.as_os_str() != ".git")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        parse(Path::new("cegas.toml"), text).unwrap_err().to_string()
    }

    #[test]
    fn every_key_is_taken() {
        let text = r#"
            build-dir = "build"
            target = ["a", "b"]
            cflags = "-DX"
            entry = ["f"]
            rules = ["leak"]
            assertions = ["my_check"]
            engine = "cegas"
            jobs = 3
            timeout = 5
            total-timeout = 60
            malloc-may-fail = true
            null-arguments = true
            cache-dir = "c"
            no-cache = false
            json = "o.json"
            sarif = "o.sarif"
            sarif-kinds = "all"
            sarif-category = "nightly"
            sarif-keep-suppressed = true
            html = "o.html"
            junit = "o.xml"
            proofs = "o.yml"
            annotations = false
            baseline = "b.json"
            fail-on = "unknown"
            exit-zero = false
            quiet = false
            progress = "never"
            [[function]]
            name = "xmalloc"
            nonnull-return = true
            [[ignore]]
            path = "third_party"
            rules = "leak"
            reason = "not ours"
        "#;
        let layer = parse(Path::new("cegas.toml"), text).unwrap();
        assert_eq!(layer.target, ["a", "b"]);
        assert_eq!(layer.cflags, ["-DX"]);
        assert_eq!(layer.timeout, Some(5.0));
        let table: toml::Table = text.parse().unwrap();
        let mut known = Layer::keys();
        known.sort();
        assert_eq!(table.keys().cloned().collect::<Vec<_>>(), known);
    }

    #[test]
    fn a_mistake_is_answered_with_line_and_way_out() {
        assert_eq!(
            error("jobs = 2\nbuid-dir = 'x'\n"),
            "cegas.toml:2: unknown key `buid-dir`; did you mean `build-dir`?"
        );
        assert!(
            error("colour = 1").starts_with("cegas.toml:1: unknown key `colour`; known keys: ")
        );
        assert!(
            error("\n\njobs = 'x'\n").starts_with("cegas.toml:3: "),
            "{}",
            error("\n\njobs = 'x'")
        );
        assert!(error("jobs = 0").starts_with("cegas.toml:1: "));
        assert!(error("a = [\n1,\n").starts_with("cegas.toml:"));
    }

    #[test]
    fn a_found_file_cannot_name_places_outside() {
        let top = tempfile::tempdir().unwrap();
        let folder = top.path().join("project");
        fs::create_dir_all(folder.join("out")).unwrap();
        std::os::unix::fs::symlink(top.path(), folder.join("link")).unwrap();
        let file = folder.join(NAME);
        for (place, fine) in [
            ("out/r.json", true),
            ("new/deep/r.json", true),
            ("-", true),
            ("../r.json", false),
            ("/r.json", false),
            ("new/../../r.json", false),
            ("link/r.json", false),
            (".git/config", false),
        ] {
            fs::write(&file, format!("json = '{place}'\n")).unwrap();
            assert_eq!(load(&file, Trust::Found).is_ok(), fine, "{place}");
            assert!(load(&file, Trust::Named).is_ok(), "{place}");
            fs::write(&file, format!("baseline = '{place}'\n")).unwrap();
            assert_eq!(load(&file, Trust::Found).is_ok(), fine, "{place}");
        }
    }

    #[test]
    fn the_search_ends_at_the_repository() {
        let top = tempfile::tempdir().unwrap();
        let deep = top.path().join("repo/src/lib");
        fs::create_dir_all(&deep).unwrap();
        fs::create_dir(top.path().join("repo/.git")).unwrap();
        fs::write(top.path().join(NAME), "").unwrap();
        assert_eq!(find(&deep), None);
        fs::write(top.path().join("repo").join(NAME), "").unwrap();
        assert_eq!(find(&deep), Some(top.path().join("repo").join(NAME)));
    }
}
