//! clang inside our own executable: one process of ours compiles a unit, prepares and lowers it, and writes what the cache
//! holds. It starts twenty milliseconds faster than the installed clang, which relocates half a million
//! addresses first, and the module goes to the lowering in memory.
//!
//! Invariants: the calls, the headers and the tables that come out are those of the installed clang; a unit that ends its
//! compiler ends that process only. What is more than a plain compilation is left to the installed clang.

use super::clang::Clang;
use super::unit::pack;
use super::{Overflow, lower, prepare};
use inkwell::context::Context;
use inkwell::module::Module;
use std::ffi::{CString, OsStr, OsString, c_char, c_int, c_void};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, ExitCode};

/// `cegas_clang` of `built_in.cpp`: the installed clang's path, how many arguments, the arguments, LLVM's context;
/// out: the module, the record of what was looked for and its length.
pub type Function = unsafe extern "C" fn(
    *const c_char,
    usize,
    *const *const c_char,
    *mut c_void,
    *mut *mut c_void,
    *mut *const c_char,
    *mut usize,
) -> c_int;

/// Whether the executable that runs has clang in it: programs have, where LLVM's archives were there to link; tests
/// have not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BuiltIn {
    Yes,
    No,
}

/// The name under which our executable compiles one unit.
const NAME: &str = "cegas-compile-unit";

/// How such a process says that the installed clang is to be asked.
const NOT_PLAIN: u8 = 77;

/// What `built_in.cpp` says.
const MADE: c_int = 0;
const LEFT_TO_CLANG: c_int = 2;

/// How a process that compiled a unit ended.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Came {
    Unit,
    /// Not a plain compilation.
    Nothing,
    Refused,
}

impl Came {
    pub fn of(status: std::process::ExitStatus) -> Came {
        match status.code() {
            Some(0) => Came::Unit,
            Some(code) if code == i32::from(NOT_PLAIN) => Came::Nothing,
            _ => Came::Refused,
        }
    }
}

/// What one process makes, and from what.
#[derive(Debug)]
pub(super) struct Task<'a> {
    pub name: &'a OsStr,
    pub overflow: Overflow,
    /// Where the unit goes.
    pub output: &'a Path,
    /// Where the record of what was looked for goes.
    pub lookups: &'a Path,
}

/// The call that has `clang`'s work done by a process of ours. `None` where our executable cannot be named.
pub(super) fn command(task: &Task<'_>, clang: &Clang, arguments: Vec<OsString>) -> Option<Command> {
    let mut command = Command::new(std::env::current_exe().ok()?);
    let overflow = match task.overflow {
        Overflow::Undefined => "undefined",
        Overflow::Wraps => "wraps",
    };
    command.arg0(NAME).arg(task.output).arg(task.lookups).args([task.name, OsStr::new(overflow)]);
    command.arg(clang.path()).args(arguments);
    Some(command)
}

/// To be called first in `main`: if this process was started to compile a unit, does so. `None`: it was
/// started for something else.
pub fn compiler_main(function: Option<Function>) -> Option<ExitCode> {
    let mut words = std::env::args_os();
    words.next().filter(|name| name == NAME)?;
    let code = match (function, Asked::read(words)) {
        (Some(function), Some(asked)) => asked.answer(function),
        _ => NOT_PLAIN,
    };
    // What a compiler leaves behind is not worth being taken apart.
    unsafe extern "C" {
        fn _exit(code: c_int) -> !;
    }
    // SAFETY: ends the process, which holds nothing that must be written.
    unsafe { _exit(c_int::from(code)) }
}

/// The words of [`command`].
struct Asked {
    output: OsString,
    lookups: OsString,
    name: OsString,
    overflow: Overflow,
    clang: CString,
    arguments: Vec<CString>,
}

impl Asked {
    fn read(mut words: impl Iterator<Item = OsString>) -> Option<Asked> {
        let (output, lookups, name) = (words.next()?, words.next()?, words.next()?);
        let overflow = match words.next()?.to_str()? {
            "undefined" => Overflow::Undefined,
            "wraps" => Overflow::Wraps,
            _ => return None,
        };
        let c_text = |word: OsString| CString::new(word.into_vec()).ok();
        let clang = c_text(words.next()?)?;
        let arguments = words.map(c_text).collect::<Option<_>>()?;
        Some(Asked { output, lookups, name, overflow, clang, arguments })
    }

    fn answer(&self, function: Function) -> u8 {
        let context = Context::create();
        let arguments: Vec<*const c_char> =
            self.arguments.iter().map(|word| word.as_ptr()).collect();
        let mut module = std::ptr::null_mut();
        let (mut heard, mut heard_bytes) = (std::ptr::null(), 0);
        // SAFETY: the words end with zeros and live until the call is over, as the context does until the process is.
        let outcome = unsafe {
            function(
                self.clang.as_ptr(),
                arguments.len(),
                arguments.as_ptr(),
                context.raw().cast(),
                &mut module,
                &mut heard,
                &mut heard_bytes,
            )
        };
        if outcome == LEFT_TO_CLANG {
            return NOT_PLAIN;
        }
        if outcome != MADE || module.is_null() {
            return 1;
        }
        // SAFETY: a module of our context that nobody else owns.
        let module = unsafe { Module::new(module.cast()) };
        // SAFETY: `built_in.cpp` gives that many bytes, which are never freed.
        let heard = unsafe { std::slice::from_raw_parts(heard.cast::<u8>(), heard_bytes) };
        let written = self.write(&module, heard);
        std::mem::forget((module, context));
        written.map_or_else(
            |reason| {
                eprintln!("error: {reason}");
                1
            },
            |()| 0,
        )
    }

    fn write(&self, module: &Module<'_>, heard: &[u8]) -> Result<(), String> {
        prepare::prepare(module);
        let unit = lower::lower(module, &self.name.to_string_lossy(), self.overflow);
        let packed = pack(&unit)?;
        std::mem::forget(unit);
        // A record without this end is not whole.
        let record = [heard, b".\0"].concat();
        std::fs::write(&self.output, packed)
            .and_then(|()| std::fs::write(&self.lookups, record))
            .map_err(|error| error.to_string())
    }
}

/// Whether an installed clang has its headers where it says to clang, which ours must find.
pub(super) fn has_headers(clang: &Path) -> bool {
    let headers = clang
        .parent()
        .and_then(Path::parent)
        .map(|prefix| prefix.join("lib/clang/19/include/stddef.h"));
    clang.as_os_str().as_bytes().ends_with(b"clang") && headers.is_some_and(|file| file.exists())
}
