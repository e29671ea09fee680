//! Which language a source is in: by `-x`, else by its extension, as gcc and clang decide it.

use std::{ffi::OsStr, os::unix::ffi::OsStrExt, path::Path};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Language {
    C,
    PreprocessedC,
    /// Compiled by the build but not analysed; the text completes "… is not analysed".
    Other(&'static str),
}

pub(crate) const CXX: Language = Language::Other("C++");
const ASSEMBLY: Language = Language::Other("assembly");
const OBJECTIVE_C: Language = Language::Other("Objective-C");
const CUDA: Language = Language::Other("CUDA, HIP or OpenCL");
const FORTRAN: Language = Language::Other("Fortran");
/// It is read where it is included: no program holds it.
pub(crate) const HEADER: Language = Language::Other("a precompiled header");
const OTHER: Language = Language::Other("another language than C");

impl Language {
    /// The language of a file by its name; `None` means an input of the linker.
    pub(crate) fn of_file(path: &Path) -> Option<Language> {
        Some(match path.extension()?.to_str()? {
            "c" => Language::C,
            "i" => Language::PreprocessedC,
            "cc" | "cp" | "cxx" | "cpp" | "CPP" | "c++" | "C" | "ii" | "cppm" | "ixx" => CXX,
            "s" | "S" | "sx" | "asm" | "nasm" => ASSEMBLY,
            "m" | "mi" | "mm" | "M" | "mii" => OBJECTIVE_C,
            "cu" | "cui" | "hip" | "cl" => CUDA,
            "f" | "F" | "for" | "FOR" | "fpp" | "f90" | "F90" | "f95" | "F95" | "f03" | "F03"
            | "f08" | "F08" => FORTRAN,
            "h" | "hh" | "H" | "hp" | "hxx" | "hpp" | "h++" | "tcc" => HEADER,
            "ads" | "adb" | "d" | "di" | "go" | "rs" | "swift" | "ll" => OTHER,
            _ => return None,
        })
    }

    /// The meaning of `-x value`; `None` for `-x none`, which returns to the extensions.
    pub(crate) fn named(value: &OsStr) -> Option<Language> {
        Some(match value.as_bytes() {
            b"none" => return None,
            b"c" => Language::C,
            b"cpp-output" => Language::PreprocessedC,
            b"assembler" | b"assembler-with-cpp" => ASSEMBLY,
            b"c-header" | b"c++-header" | b"cpp-output-header" => HEADER,
            b"c++" | b"c++-cpp-output" => CXX,
            b"objective-c" | b"objective-c++" => OBJECTIVE_C,
            b"cuda" | b"hip" | b"cl" => CUDA,
            b"f77" | b"f95" => FORTRAN,
            _ => OTHER,
        })
    }

    /// The `-x` that makes clang read the file so, where its name alone would not.
    pub(crate) fn flag_for(self, path: &Path) -> Option<&'static str> {
        match self {
            _ if Language::of_file(path) == Some(self) => None,
            Language::C => Some("c"),
            Language::PreprocessedC => Some("cpp-output"),
            Language::Other(_) => None,
        }
    }
}
