//! The memory that library functions touch on the caller's behalf, for those that the engine itself
//! executes. (Functions with a model in C need no entry: the model's own accesses count.)

use super::format::{self, Use};
use crate::ir::{Const, Operand, Program, Type};

/// How far an access reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    Bytes(u64),
    /// As many bytes as an operand says, times a constant.
    Times(Operand, u64),
    /// To the first character that is zero, or at most so many characters, each this wide.
    Text {
        unit: u64,
        limit: Option<u64>,
    },
    /// So many bytes at least, and not more than so many, if that is known: the rest is the input's choice, or that of a
    /// format that nobody knows.
    Open {
        least: u64,
        most: Option<u64>,
    },
    /// What the arguments of a list are that lies there, and how far they reach.
    Hidden,
}

/// Functions that write bytes to the outside.
pub const WRITES_OUT: &[&str] =
    &["write", "pwrite", "pwrite64", "send", "sendto", "fwrite", "fwrite_unlocked"];

/// Functions that close the stream they are given, which is then no longer there.
pub const CLOSES: &[&str] = &["fclose", "pclose"];

/// Functions whose first argument is freed.
pub const FREES: &[&str] = &["free", "cfree", "realloc", "reallocarray"];

/// Functions that return memory which the caller must free.
pub const ALLOCATES: &[&str] = &[
    "malloc",
    "calloc",
    "realloc",
    "aligned_alloc",
    "memalign",
    "valloc",
    "strdup",
    "strndup",
    "wcsdup",
    "__builtin_malloc",
    "asprintf",
    "vasprintf",
    "posix_memalign",
];

/// Functions that do the same without telling how much it is, or that have no model: the memory is not followed. Some
/// are given room for it, as the argument of that number, and allocate only where that is null.
pub const ALLOCATES_UNSEEN: &[(&str, Option<usize>)] = &[
    ("getline", None),
    ("getdelim", None),
    ("__getdelim", None),
    ("getcwd", Some(0)),
    ("__getcwd_chk", Some(0)),
    ("get_current_dir_name", None),
    ("realpath", Some(1)),
    ("__realpath_chk", Some(1)),
    ("canonicalize_file_name", None),
    ("tempnam", None),
    ("open_memstream", None),
    ("open_wmemstream", None),
    ("pvalloc", None),
    ("__strdup", None),
    ("__strndup", None),
    ("__asprintf_chk", None),
    ("__vasprintf_chk", None),
];

/// How many bytes lie at an argument.
#[derive(Debug, Clone, Copy)]
enum Length {
    /// As many as another argument says.
    Argument(usize),
    /// The product of two arguments.
    Product(usize, usize),
    Text,
    Wide,
    /// An open stream, which must be there.
    Stream,
    /// As many characters of that width as another argument says, or fewer.
    AtMost(usize, u64),
    /// As many as the input has.
    Any,
    /// A list of arguments.
    List,
}

use Length::{Any, Argument, AtMost, List, Product, Stream, Text, Wide};

/// Function, pointer argument, length.
const TOUCHED: &[(&str, usize, Length)] = &[
    ("memcpy", 0, Argument(2)),
    ("memcpy", 1, Argument(2)),
    ("memmove", 0, Argument(2)),
    ("memmove", 1, Argument(2)),
    ("memset", 0, Argument(2)),
    ("__memcpy_chk", 0, Argument(2)),
    ("__memcpy_chk", 1, Argument(2)),
    ("__memmove_chk", 0, Argument(2)),
    ("__memmove_chk", 1, Argument(2)),
    ("__memset_chk", 0, Argument(2)),
    ("strlen", 0, Text),
    ("wcslen", 0, Wide),
    ("puts", 0, Text),
    ("fputs", 0, Text),
    ("perror", 0, Text),
    ("getenv", 0, Text),
    ("fopen", 0, Text),
    ("fopen", 1, Text),
    ("remove", 0, Text),
    ("unlink", 0, Text),
    ("open", 0, Text),
    ("system", 0, Text),
    ("popen", 0, Text),
    ("putenv", 0, Text),
    ("inet_addr", 0, Text),
    ("fgets", 0, Argument(1)),
    ("read", 1, Argument(2)),
    ("write", 1, Argument(2)),
    ("recv", 1, Argument(2)),
    ("send", 1, Argument(2)),
    ("connect", 1, Argument(2)),
    ("bind", 1, Argument(2)),
    ("fread", 0, Product(1, 2)),
    ("fwrite", 0, Product(1, 2)),
    ("fread", 3, Stream),
    ("fwrite", 3, Stream),
    ("fclose", 0, Stream),
    ("pclose", 0, Stream),
    ("fgets", 2, Stream),
    ("fgetc", 0, Stream),
    ("getc", 0, Stream),
    ("fputs", 1, Stream),
    ("fputc", 1, Stream),
    ("putc", 1, Stream),
    ("fprintf", 0, Stream),
    ("fwprintf", 0, Stream),
    ("fscanf", 0, Stream),
    ("fseek", 0, Stream),
    ("rewind", 0, Stream),
    ("feof", 0, Stream),
    ("ferror", 0, Stream),
    ("fileno", 0, Stream),
    ("gets", 0, Any),
    ("gets_s", 0, Any),
    ("pread", 1, Argument(2)),
    ("pwrite", 1, Argument(2)),
    ("pread64", 1, Argument(2)),
    ("pwrite64", 1, Argument(2)),
    ("recvfrom", 1, Argument(2)),
    ("sendto", 1, Argument(2)),
    ("getcwd", 0, Argument(1)),
    ("gethostname", 0, Argument(1)),
    ("getdomainname", 0, Argument(1)),
    ("getrandom", 0, Argument(1)),
    ("getentropy", 0, Argument(1)),
    ("bzero", 0, Argument(1)),
    ("explicit_bzero", 0, Argument(1)),
    ("memcmp", 0, Argument(2)),
    ("bcmp", 0, Argument(2)),
    ("memrchr", 0, Argument(2)),
    ("memcmp", 1, Argument(2)),
    ("bcmp", 1, Argument(2)),
    ("readlink", 0, Text),
    ("readlink", 1, Argument(2)),
    ("strftime", 0, AtMost(1, 1)),
    ("strftime", 2, Text),
    ("strlcpy", 0, AtMost(2, 1)),
    ("strlcpy", 1, Text),
    ("strlcat", 0, AtMost(2, 1)),
    ("strlcat", 1, Text),
    ("strxfrm", 0, AtMost(2, 1)),
    ("strxfrm", 1, Text),
    ("strcoll", 0, Text),
    ("strcoll", 1, Text),
    ("strverscmp", 0, Text),
    ("strverscmp", 1, Text),
    ("mbstowcs", 0, AtMost(2, 4)),
    ("mbstowcs", 1, Text),
    ("wcstombs", 0, AtMost(2, 1)),
    ("wcstombs", 1, Wide),
    ("wcstol", 0, Wide),
    ("wcstoul", 0, Wide),
    ("wcstoll", 0, Wide),
    ("wcstoull", 0, Wide),
    ("wcstod", 0, Wide),
    ("fputws", 0, Wide),
    ("fopen64", 0, Text),
    ("freopen", 0, Text),
    ("fopen64", 1, Text),
    ("freopen", 1, Text),
    ("fdopen", 1, Text),
    ("popen", 1, Text),
    ("freopen", 2, Stream),
    ("stat", 0, Text),
    ("lstat", 0, Text),
    ("chdir", 0, Text),
    ("mkdir", 0, Text),
    ("rmdir", 0, Text),
    ("rename", 0, Text),
    ("access", 0, Text),
    ("chmod", 0, Text),
    ("chown", 0, Text),
    ("opendir", 0, Text),
    ("creat", 0, Text),
    ("truncate", 0, Text),
    ("symlink", 0, Text),
    ("link", 0, Text),
    ("execv", 0, Text),
    ("execve", 0, Text),
    ("execvp", 0, Text),
    ("execl", 0, Text),
    ("execlp", 0, Text),
    ("atof", 0, Text),
    ("strtod", 0, Text),
    ("strtof", 0, Text),
    ("strtold", 0, Text),
    ("setenv", 0, Text),
    ("unsetenv", 0, Text),
    ("realpath", 0, Text),
    ("mkstemp", 0, Text),
    ("rename", 1, Text),
    ("symlink", 1, Text),
    ("link", 1, Text),
    ("setenv", 1, Text),
    ("fgetwc", 0, Stream),
    ("getwc", 0, Stream),
    ("ftell", 0, Stream),
    ("fgetpos", 0, Stream),
    ("fsetpos", 0, Stream),
    ("clearerr", 0, Stream),
    ("fseeko", 0, Stream),
    ("ftello", 0, Stream),
    ("setbuf", 0, Stream),
    ("setvbuf", 0, Stream),
    ("vfprintf", 0, Stream),
    ("vfwprintf", 0, Stream),
    ("vfscanf", 0, Stream),
    ("getw", 0, Stream),
    ("flockfile", 0, Stream),
    ("funlockfile", 0, Stream),
    ("ftrylockfile", 0, Stream),
    ("__fprintf_chk", 0, Stream),
    ("__vfprintf_chk", 0, Stream),
    ("__isoc99_fscanf", 0, Stream),
    ("__isoc23_fscanf", 0, Stream),
    ("fwscanf", 0, Stream),
    ("__isoc99_fwscanf", 0, Stream),
    ("__isoc23_fwscanf", 0, Stream),
    ("__isoc99_vfscanf", 0, Stream),
    ("__isoc23_vfscanf", 0, Stream),
    ("ungetc", 1, Stream),
    ("putw", 1, Stream),
    ("fputwc", 1, Stream),
    ("putwc", 1, Stream),
    ("fputws", 1, Stream),
    ("getline", 2, Stream),
    ("fgetws", 2, Stream),
    ("vprintf", 1, List),
    ("vwprintf", 1, List),
    ("vscanf", 1, List),
    ("__isoc99_vscanf", 1, List),
    ("__isoc23_vscanf", 1, List),
    ("vfprintf", 2, List),
    ("vdprintf", 2, List),
    ("vsyslog", 2, List),
    ("vfwprintf", 2, List),
    ("vfscanf", 2, List),
    ("vsscanf", 2, List),
    ("__vprintf_chk", 2, List),
    ("__isoc99_vfscanf", 2, List),
    ("__isoc23_vfscanf", 2, List),
    ("__isoc99_vsscanf", 2, List),
    ("__isoc23_vsscanf", 2, List),
    ("__vfprintf_chk", 3, List),
    ("vsscanf", 0, Text),
    ("__isoc99_vsscanf", 0, Text),
    ("__isoc23_vsscanf", 0, Text),
    ("sscanf", 0, Text),
    ("__isoc99_sscanf", 0, Text),
    ("__isoc23_sscanf", 0, Text),
    ("swscanf", 0, Wide),
    ("__isoc99_swscanf", 0, Wide),
    ("__isoc23_swscanf", 0, Wide),
];

/// Functions of the `printf` family that only write to the outside, with the format's place.
pub const PRINTS: &[(&str, usize)] = &[
    ("printf", 0),
    ("fprintf", 1),
    ("dprintf", 1),
    ("syslog", 1),
    ("wprintf", 0),
    ("fwprintf", 1),
    ("__printf_chk", 1),
    ("__fprintf_chk", 2),
];

/// Functions of the `scanf` family that read from the outside, with the format's place.
pub const SCANS: &[(&str, usize)] = &[
    ("scanf", 0),
    ("fscanf", 1),
    ("__isoc99_scanf", 0),
    ("__isoc99_fscanf", 1),
    ("__isoc23_scanf", 0),
    ("__isoc23_fscanf", 1),
    ("wscanf", 0),
    ("fwscanf", 1),
    ("__isoc99_wscanf", 0),
    ("__isoc99_fwscanf", 1),
    ("__isoc23_wscanf", 0),
    ("__isoc23_fwscanf", 1),
];

/// Functions of the `scanf` family that read a text of the program's, with the format's place.
pub const TEXT_SCANS: &[(&str, usize)] = &[
    ("sscanf", 1),
    ("__isoc99_sscanf", 1),
    ("__isoc23_sscanf", 1),
    ("swscanf", 1),
    ("__isoc99_swscanf", 1),
    ("__isoc23_swscanf", 1),
];

/// The streams that a call uses: models of functions do not look into them.
pub fn streams<'a>(name: &'a str, args: &'a [Operand]) -> impl Iterator<Item = (Operand, Extent)> {
    let entries = TOUCHED.iter().filter(move |(known, ..)| *known == name);
    let streams = entries.filter(|(.., length)| matches!(length, Stream));
    streams.filter_map(|(_, pointer, _)| Some((*args.get(*pointer)?, Extent::Bytes(1))))
}

/// The ranges that a call of an external function reads or writes.
pub fn of_call(program: &Program, name: &str, args: &[Operand]) -> Vec<(Operand, Extent)> {
    let mut found: Vec<(Operand, Extent)> = TOUCHED
        .iter()
        .filter(|(known, ..)| *known == name)
        .filter_map(|&(_, pointer, length)| {
            let extent = match length {
                Argument(index) => Extent::Times(*args.get(index)?, 1),
                Product(a, b) => match (constant_number(program, *args.get(a)?), *args.get(b)?) {
                    (Some(size), count) => Extent::Times(count, size),
                    (None, count) => Extent::Times(*args.get(a)?, constant_number(program, count)?),
                },
                Text => Extent::Text { unit: 1, limit: None },
                Wide => Extent::Text { unit: 4, limit: None },
                Stream => Extent::Bytes(1),
                AtMost(index, unit) => {
                    let count = constant_number(program, *args.get(index)?);
                    Extent::Open { least: 0, most: count.and_then(|count| count.checked_mul(unit)) }
                }
                Any => Extent::Open { least: 1, most: None },
                List => Extent::Hidden,
            };
            Some((*args.get(pointer)?, extent))
        })
        .collect();
    let Some(index) = format_place(name) else { return found };
    let Some((_, uses)) = formatted(program, name, args) else {
        // Any of the arguments may be used in any way, or not at all.
        let given = args.iter().skip(index + 1).filter(|&&arg| program.is_pointer(arg));
        found.extend(given.map(|&arg| (arg, Extent::Open { least: 0, most: None })));
        return found;
    };
    found.extend(args.iter().skip(index + 1).zip(uses).filter_map(|(&arg, used)| {
        let extent = match used {
            Use::Value => return None,
            Use::Text { unit, limit } => Extent::Text { unit, limit },
            Use::Part => Extent::Open { least: 0, most: None },
            Use::Number { bytes, .. } => Extent::Bytes(bytes),
            Use::Characters { count, .. } => Extent::Bytes(count),
            // One character and the end at least: how many more is the input's choice.
            Use::Line { unit, limit } => {
                let all = |limit: u64| limit.saturating_add(1).saturating_mul(unit);
                Extent::Open { least: 2 * unit, most: limit.map(all) }
            }
        };
        Some((arg, extent))
    }));
    found
}

/// Which argument of a function is its format.
fn format_place(name: &str) -> Option<usize> {
    let mut all = PRINTS.iter().chain(SCANS).chain(TEXT_SCANS);
    all.find(|(known, _)| *known == name).map(|&(_, index)| index)
}

/// Whether a call of the `printf` family may store a number (`%n`) where one of its arguments points to.
pub fn prints_into(program: &Program, name: &str, args: &[Operand]) -> bool {
    let is_print = PRINTS.iter().any(|(known, _)| *known == name);
    is_print
        && formatted(program, name, args)
            .is_none_or(|(_, uses)| uses.iter().any(|used| matches!(used, Use::Number { .. })))
}

/// Where the format is and what it does with the arguments behind it.
pub fn formatted(program: &Program, name: &str, args: &[Operand]) -> Option<(usize, Vec<Use>)> {
    let index = format_place(name)?;
    let long = u64::from(program.machine.pointer_bits / 8);
    let format = format::of_call(program, args, index)?;
    let uses = match PRINTS.iter().any(|(known, _)| *known == name) {
        true => format::printf(&format, long),
        false => format::scanf(&format, long),
    };
    uses.map(|uses| (index, uses))
}

fn constant_number(program: &Program, operand: Operand) -> Option<u64> {
    match program.consts.get(operand.constant()?) {
        Const::Int(value) => u64::try_from(*value).ok(),
        _ => None,
    }
}

/// A string literal; one of wide characters is narrowed if it can be.
pub fn constant_text(program: &Program, operand: Operand) -> Option<Vec<u8>> {
    let Const::Global { global, offset } = program.consts.get(operand.constant()?) else {
        return None;
    };
    let global = &program.globals[*global];
    let bytes = &global.init.as_ref().filter(|_| global.constant)?.bytes;
    let bytes = bytes.get(usize::try_from(*offset).ok()?..)?;
    // What is left out at the end is zero.
    let is_wide = match program.types.get(global.ty) {
        Type::Array { elem, .. } => program.types.size(*elem) == 4,
        _ => false,
    };
    let unit = if is_wide { 4 } else { 1 };
    if bytes.chunks(unit).any(|c| c.iter().skip(1).any(|&byte| byte != 0)) {
        return None;
    }
    let characters = bytes.chunks(unit).map(|c| c.first().copied().unwrap_or(0));
    Some(characters.take_while(|&c| c != 0).collect())
}
