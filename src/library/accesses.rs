//! The memory that library functions touch on the caller's behalf, for those that the engine itself
//! executes. (Functions with a model in C need no entry: the model's own accesses count.)

use super::format::{self, Use};
use crate::ir::{Const, Operand, Program};

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
}

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
    "__strdup",
    "asprintf",
    "vasprintf",
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
}

use Length::{Argument, Product, Stream, Text, Wide};

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
            };
            Some((*args.get(pointer)?, extent))
        })
        .collect();
    if let Some((index, uses)) = formatted(program, name, args) {
        found.extend(args.iter().skip(index + 1).zip(uses).filter_map(|(&arg, used)| {
            let extent = match used {
                Use::Value => return None,
                Use::Text { unit, limit } => Extent::Text { unit, limit },
                Use::Number { bytes, .. } => Extent::Bytes(bytes),
                Use::Characters { count } => Extent::Bytes(count),
                // One character at least: how many more is the input's choice.
                Use::Line { unit, .. } => Extent::Bytes(unit),
            };
            Some((arg, extent))
        }));
    }
    found
}

/// Where the format is and what it does with the arguments behind it.
pub fn formatted(program: &Program, name: &str, args: &[Operand]) -> Option<(usize, Vec<Use>)> {
    let place = |table: &[(&str, usize)]| {
        table.iter().find(|(known, _)| *known == name).map(|&(_, index)| index)
    };
    let long = u64::from(program.machine.pointer_bits / 8);
    if let Some(index) = place(PRINTS) {
        let format = format::of_call(program, args, index)?;
        return format::printf(&format, long).map(|uses| (index, uses));
    }
    let index = place(SCANS)?;
    let format = format::of_call(program, args, index)?;
    format::scanf(&format, long).map(|uses| (index, uses))
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
    let is_wide = bytes.len() >= 8 && bytes[1..4] == [0, 0, 0] && bytes.len() % 4 == 0;
    let unit = if is_wide { 4 } else { 1 };
    let characters = bytes.chunks(unit).map(|c| c.first().copied().unwrap_or(0));
    Some(characters.take_while(|&c| c != 0).collect())
}
