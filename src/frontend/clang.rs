//! Running clang: one unit's C to bitcode, with the unit's own flags and ours after them.
//!
//! Invariant: clang is started directly, never through a shell, reads no configuration file, and
//! writes only the two files named here.

use super::Overflow;
use super::built_in::{self, BuiltIn};
use crate::budgets;
use crate::cancel::Limits;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// The clang that matches the LLVM we are built with.
#[derive(Debug, Clone)]
pub struct Clang {
    path: PathBuf,
    /// Tells one installed clang from another.
    pub identity: String,
    /// The user said which.
    is_named: bool,
    /// Whether plain units are compiled by processes of our own.
    pub(super) built_in: BuiltIn,
}

#[derive(Debug, thiserror::Error)]
pub enum NoClang {
    #[error(
        "clang 19 is needed and was not found (looked for `clang-19` on PATH and in \
         /usr/lib/llvm-19/bin); install it with `apt-get install clang-19`, or name it in CEGAS_CLANG"
    )]
    Nowhere,
    #[error(
        "CEGAS_CLANG names {0}, and there is no such program: name clang 19, or install it with \
         `apt-get install clang-19` and leave CEGAS_CLANG unset"
    )]
    Named(String),
}

/// What the model needs beside the unit's own flags.
const MODEL_FLAGS: &[&str] = &[
    // Every event of the C code stays, and functions can still be changed by us.
    "-O0",
    "-Xclang",
    "-disable-O0-optnone",
    "-Xclang",
    "-disable-llvm-passes",
    // Scopes: without this an unoptimised build does not say where a variable's life ends.
    "-Xclang",
    "-fsanitize-address-use-after-scope",
    "-fno-discard-value-names",
    "-g",
    "-gno-inline-line-tables",
    // What C leaves undefined becomes a check at its place; lowering turns the traps into `check`.
    "-fsanitize=signed-integer-overflow,shift,integer-divide-by-zero,array-bounds,vla-bound,\
     unreachable,builtin,float-cast-overflow",
    "-fsanitize-trap=all",
    // The plain machine multiplies, then adds.
    "-ffp-contract=off",
    "-fno-stack-protector",
    // gcc has no such limit, and generated code goes beyond clang's.
    "-fbracket-depth=4096",
    // What gcc takes with a warning is no error here.
    "-w",
    "-Wno-error",
    "-Wno-error=implicit-function-declaration",
    "-Wno-error=implicit-int",
    "-Wno-error=int-conversion",
    "-Wno-error=incompatible-pointer-types",
    "-Wno-error=incompatible-function-pointer-types",
    "-Wno-error=return-type",
    "-Wno-error=return-mismatch",
    "-Wno-error=register",
    // A unit that crashes clang would have it write a report into the system's temporary folder.
    "-fno-crash-diagnostics",
    "-fno-color-diagnostics",
    "-fno-caret-diagnostics",
    "-ferror-limit=20",
    "-emit-llvm",
    "-c",
];

/// Variables that change what clang does: kept from the user's environment, and part of the key.
const ENVIRONMENT: &[&str] = &["CPATH", "C_INCLUDE_PATH", "LD_LIBRARY_PATH", "PATH", "HOME"];

impl Clang {
    pub fn find() -> Result<Clang, NoClang> {
        let named = std::env::var_os("CEGAS_CLANG").map(PathBuf::from);
        // A relative folder would be one of the repository that is scanned.
        let on_path = std::env::var_os("PATH")
            .into_iter()
            .flat_map(|path| std::env::split_paths(&path).collect::<Vec<_>>())
            .filter(|folder| folder.is_absolute())
            .map(|folder| folder.join("clang-19"));
        let usual = Path::new("/usr/lib/llvm-19/bin/clang").to_path_buf();
        let candidates: Vec<PathBuf> = match &named {
            Some(named) => vec![named.clone()],
            None => on_path.chain([usual]).collect(),
        };
        candidates
            .into_iter()
            .find_map(|path| {
                let path = path.canonicalize().ok()?;
                let meta = path.metadata().ok().filter(|meta| meta.is_file())?;
                let changed = meta.modified().ok().and_then(since_epoch).unwrap_or_default();
                let identity = format!("{} {} {changed}", path.display(), meta.len());
                Some(Clang { path, identity, is_named: named.is_some(), built_in: BuiltIn::No })
            })
            .ok_or_else(|| match named {
                Some(named) => NoClang::Named(named.display().to_string()),
                None => NoClang::Nowhere,
            })
    }

    /// The same clang, with its plain work done by processes of ours where that can be: a clang that the user named is
    /// the one that is meant, and ours needs the installed one's headers.
    pub fn or_built_in(self, built_in: BuiltIn) -> Clang {
        let can = !self.is_named && built_in::has_headers(&self.path);
        Clang { built_in: if can { built_in } else { BuiltIn::No }, ..self }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The call that compiles `source` in `directory`.
    pub fn command(
        &self,
        directory: &Path,
        flags: &[OsString],
        source: &Path,
        output: &Path,
        depfile: &Path,
    ) -> Command {
        let mut command = Command::new(&self.path);
        command.args(arguments(flags, source, output, depfile));
        placed(&mut command, directory);
        command
    }

    /// Everything but the files read that decides what the call gives.
    pub fn key_parts(&self) -> Vec<u8> {
        let mut parts = format!("{}\0{}\0", self.identity, MODEL_FLAGS.join("\0")).into_bytes();
        for (name, value) in
            environment().into_iter().filter(|(name, _)| name.contains("INC") || *name == "CPATH")
        {
            parts.extend(name.bytes());
            parts.extend(value.as_encoded_bytes());
            parts.push(0);
        }
        parts
    }
}

/// What one call of clang may use. The time can be set (in seconds) for units that are known to be slow.
pub fn limits() -> Limits {
    let told = std::env::var("CEGAS_COMPILE_TIME").ok().and_then(|seconds| seconds.parse().ok());
    let time = told.map_or(budgets::COMPILE_TIME, Duration::from_secs);
    Limits { time: time.min(budgets::LONGEST_TIME), memory: budgets::COMPILE_MEMORY }
}

/// What clang is told about one unit.
pub(super) fn arguments(
    flags: &[OsString],
    source: &Path,
    output: &Path,
    depfile: &Path,
) -> Vec<OsString> {
    let fixed = |words: &[&str]| words.iter().map(OsString::from).collect::<Vec<_>>();
    let mut arguments = fixed(&["--no-default-config"]);
    arguments.extend_from_slice(flags);
    arguments.extend(fixed(MODEL_FLAGS));
    arguments.extend([OsString::from("-MD"), "-MF".into(), depfile.into()]);
    arguments.extend([OsString::from("-o"), output.into(), "--".into(), source.into()]);
    arguments
}

/// Where a compiler runs, and all that it is told of the user's environment.
pub(super) fn placed(command: &mut Command, directory: &Path) {
    command.current_dir(directory).env_clear();
    for (name, value) in environment() {
        command.env(name, value);
    }
    // A fixed clock: `__DATE__` must not make two runs differ.
    command.env("LC_ALL", "C").env("SOURCE_DATE_EPOCH", "0");
}

fn environment() -> Vec<(&'static str, OsString)> {
    ENVIRONMENT.iter().filter_map(|&name| Some((name, std::env::var_os(name)?))).collect()
}

pub(super) fn since_epoch(time: std::time::SystemTime) -> Option<u128> {
    Some(time.duration_since(std::time::UNIX_EPOCH).ok()?.as_nanos())
}

/// What the last of a unit's flags that speak of it says. gcc's `-fno-strict-overflow` is its `-fwrapv`.
pub fn overflow(flags: &[OsString]) -> Overflow {
    let said = flags.iter().rev().find_map(|flag| match flag.to_str()? {
        "-fwrapv" | "-fno-strict-overflow" => Some(Overflow::Wraps),
        "-fno-wrapv" | "-fstrict-overflow" | "-ftrapv" => Some(Overflow::Undefined),
        _ => None,
    });
    said.unwrap_or(Overflow::Undefined)
}

/// clang's first error, as one line; else the last thing it said.
pub fn first_error(stderr: &str) -> String {
    let is_error = |line: &&str| line.contains("error:");
    let line = stderr.lines().find(is_error).or_else(|| stderr.lines().next_back());
    line.map_or_else(|| "clang failed without a word".to_owned(), |line| line.trim().to_owned())
}

/// The files named in a depfile that clang wrote: `target: file file \` with make's escapes.
pub fn dependencies(depfile: &[u8]) -> Vec<PathBuf> {
    use std::os::unix::ffi::OsStringExt;
    let Some(colon) =
        depfile.windows(2).position(|pair| pair[0] == b':' && pair[1].is_ascii_whitespace())
    else {
        return Vec::new();
    };
    let mut files = Vec::new();
    let mut name: Vec<u8> = Vec::new();
    let mut bytes = depfile[colon + 1..].iter().copied().peekable();
    while let Some(byte) = bytes.next() {
        match (byte, bytes.peek().copied()) {
            (b'\\', Some(next @ (b' ' | b'#' | b'\\'))) => {
                name.push(next);
                bytes.next();
            }
            (b'\\', Some(b'\n')) => {
                bytes.next();
                files.extend((!name.is_empty()).then(|| std::mem::take(&mut name)));
            }
            (b'$', Some(b'$')) => {
                name.push(b'$');
                bytes.next();
            }
            (b' ' | b'\n' | b'\t', _) => {
                files.extend((!name.is_empty()).then(|| std::mem::take(&mut name)));
            }
            _ => name.push(byte),
        }
    }
    files.extend((!name.is_empty()).then_some(name));
    files.into_iter().map(|name| PathBuf::from(OsString::from_vec(name))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depfiles_with_odd_names_are_read() {
        let text = b"out.bc: a.c \\\n  with\\ space.h dollar$$.h \\#hash.h\n";
        let names: Vec<_> =
            dependencies(text).into_iter().map(|p| p.to_string_lossy().into_owned()).collect();
        assert_eq!(names, ["a.c", "with space.h", "dollar$.h", "#hash.h"]);
    }

    #[test]
    fn the_first_error_is_one_line() {
        let said = "a.c:1:1: warning: x\na.c:2:3: error: no\na.c:3:3: error: also no\n";
        assert_eq!(first_error(said), "a.c:2:3: error: no");
        assert_eq!(first_error(""), "clang failed without a word");
    }
}
