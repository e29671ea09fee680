//! Which tool a command runs: launchers peeled off, the rest known by its name.

use std::{
    ffi::{OsStr, OsString},
    os::unix::ffi::OsStrExt,
    path::Path,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tool {
    Compiler,
    CxxCompiler,
    /// gcc's `cc1`: the inside of a call that was logged as well.
    Inner,
    Archiver,
    Linker,
    Assembler,
    Objcopy,
    /// ccache and its kind: the compiler is the next word.
    Launcher,
}

/// The tool of this name, however it is decorated: `gcc-12`, `x86_64-linux-gnu-gcc-ar`, `ld.gold`.
pub(crate) fn named(name: &OsStr) -> Option<Tool> {
    let name = undecorated(name.to_str()?);
    let base = name.rsplit('-').next().unwrap_or(name);
    Some(match base {
        "cc" | "gcc" | "clang" | "c89" | "c99" | "c11" | "c17" | "tcc" | "icc" | "icx" | "pcc" => {
            Tool::Compiler
        }
        "c++" | "g++" | "clang++" | "icpc" | "icpx" => Tool::CxxCompiler,
        "cc1" | "cc1plus" => Tool::Inner,
        "ar" => Tool::Archiver,
        "ld" | "ld.bfd" | "ld.gold" | "ld.lld" | "ld.mold" | "lld" | "mold" | "gold"
        | "collect2" => Tool::Linker,
        "as" | "nasm" | "yasm" | "gas" => Tool::Assembler,
        "objcopy" => Tool::Objcopy,
        "ccache" | "sccache" | "distcc" | "icecc" | "buildcache" => Tool::Launcher,
        _ => return None,
    })
}

/// The machine that a cross compiler's name speaks of: `arm-linux-gnueabi` for `arm-linux-gnueabi-gcc-12`.
pub(crate) fn cross_target(program: &OsStr) -> Option<String> {
    let name = Path::new(program).file_name()?.to_str()?;
    let (prefix, _base) = undecorated(name).rsplit_once('-')?;
    let native = prefix.starts_with(std::env::consts::ARCH) && prefix.ends_with("linux-gnu");
    let plain = prefix.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte));
    (prefix.matches('-').count() >= 2 && !native && plain).then(|| prefix.to_owned())
}

/// Without a version: `gcc-12.2` is `gcc`.
fn undecorated(name: &str) -> &str {
    match name.rsplit_once('-') {
        Some((base, version))
            if !version.is_empty()
                && version.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') =>
        {
            base
        }
        _ => name,
    }
}

/// The command inside launchers and shells: from the word that names the compiler on.
pub(crate) fn peel(mut words: &[OsString]) -> &[OsString] {
    // Each round takes at least one word, so this ends.
    while let [first, rest @ ..] = words {
        let name = Path::new(first).file_name().unwrap_or(first);
        let inside = match name.to_str() {
            Some("env") => skip(rest, &["-u", "-C", "--unset"], true),
            Some("nice") => skip(rest, &["-n"], false),
            Some("time") => skip(rest, &["-f", "-o"], false),
            Some("ionice") => skip(rest, &["-c", "-n"], false),
            Some("nohup" | "setsid" | "stdbuf" | "command" | "exec") => skip(rest, &[], false),
            Some("sh" | "bash" | "dash") if rest.first().is_some_and(is_libtool) => rest,
            _ if is_libtool(first) => skip(rest, &["--mode", "--tag"], false),
            _ if named(name) == Some(Tool::Launcher) => {
                let inside = skip(rest, &[], true);
                // `distcc -c a.c` chooses the compiler itself.
                if rest.first().is_some_and(|next| next.as_bytes().starts_with(b"-")) {
                    return words;
                }
                inside
            }
            _ => return words,
        };
        if inside.is_empty() {
            return words;
        }
        words = inside;
    }
    words
}

fn is_libtool(word: &OsString) -> bool {
    let name = Path::new(word).file_name().unwrap_or(word).to_string_lossy();
    name == "libtool" || name == "glibtool" || name.ends_with("-libtool")
}

/// Past options (those in `with_value` take the next word) and, for `assignments`, past `NAME=value`.
fn skip<'a>(mut words: &'a [OsString], with_value: &[&str], assignments: bool) -> &'a [OsString] {
    while let [first, rest @ ..] = words {
        let bytes = first.as_bytes();
        words = match rest {
            [_, after @ ..] if with_value.iter().any(|option| first == option) => after,
            _ if bytes.starts_with(b"-") => rest,
            _ if assignments && bytes.contains(&b'=') => rest,
            _ => break,
        };
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_seen_through_their_decoration() {
        for (name, tool) in [
            ("cc", Some(Tool::Compiler)),
            ("gcc-12", Some(Tool::Compiler)),
            ("clang-19", Some(Tool::Compiler)),
            ("x86_64-linux-gnu-gcc-12", Some(Tool::Compiler)),
            ("x86_64-linux-gnu-g++", Some(Tool::CxxCompiler)),
            ("gcc-ar-12", Some(Tool::Archiver)),
            ("llvm-ar-19", Some(Tool::Archiver)),
            ("ld.gold", Some(Tool::Linker)),
            ("gcc-nm", None),
            ("clang-tidy", None),
            ("clang-format-19", None),
            ("cegas-scan", None),
        ] {
            assert_eq!(named(OsStr::new(name)), tool, "{name}");
        }
        assert_eq!(
            cross_target(OsStr::new("/x/arm-linux-gnueabi-gcc-12")).unwrap(),
            "arm-linux-gnueabi"
        );
        assert_eq!(cross_target(OsStr::new("gcc-12")), None);
        assert_eq!(cross_target(OsStr::new("musl-gcc")), None);
    }

    #[test]
    fn launchers_are_peeled() {
        for command in [
            "gcc -c a.c",
            "ccache gcc -c a.c",
            "env -i CC=x FOO=bar nice -n 5 sccache gcc -c a.c",
            "/bin/sh ../libtool --silent --tag=CC --mode=compile gcc -c a.c",
            "libtool --tag CC --mode compile gcc -c a.c",
            "time -p distcc gcc -c a.c",
        ] {
            let words: Vec<OsString> = command.split(' ').map(Into::into).collect();
            assert_eq!(peel(&words), ["gcc", "-c", "a.c"], "{command}");
        }
        let words: Vec<OsString> = ["distcc", "-c", "a.c"].map(Into::into).into();
        assert_eq!(peel(&words), ["distcc", "-c", "a.c"]);
    }
}
