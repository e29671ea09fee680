//! Bitcode and LLVM's text form that the user brings. LLVM ends the process that reads some malformed
//! modules, so reading and lowering are done by a process of its own: our executable under another name.
//!
//! Invariant: only modules that LLVM's verifier accepted are lowered, and none gets into the process of
//! the scan.

use super::cache::{Key, Kind};
use super::unit::{Compiled, Compiler, DAMAGED, compiled, pack};
use super::{Overflow, clang, lower, module, prepare, tool_stamp};
use inkwell::context::Context;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, ExitCode};

/// The name under which our executable reads one module.
const NAME: &str = "cegas-read-bitcode";

/// What is known only where the C is: in bitcode, a sum that overflowed looks like any other.
const UNCHECKED: &str = "bitcode compiled without -fsanitize=undefined -fsanitize-trap: overflow and shifts in it \
    are not looked for; its C files would be";

/// To be called first in `main`: if this process was started to read bitcode, does so. `None`: it was
/// started for something else.
pub fn reader_main() -> Option<ExitCode> {
    let mut words = std::env::args_os();
    words.next().filter(|name| name == NAME)?;
    let (input, output) = (words.next()?, words.next()?);
    Some(match convert(Path::new(&input), Path::new(&output)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("{reason}");
            ExitCode::FAILURE
        }
    })
}

fn convert(input: &Path, output: &Path) -> Result<(), String> {
    let bytes = std::fs::read(input).map_err(|error| error.to_string())?;
    let context = Context::create();
    let name = input.to_string_lossy();
    let module = module::read(&context, &name, &bytes)?;
    if let Err(message) = module.verify() {
        let message = message.to_string_lossy();
        return Err(format!("LLVM's verifier refuses it: {}", module::first_line(&message)));
    }
    let unchecked = module.get_function("llvm.ubsantrap").is_none();
    prepare::prepare(&module);
    let mut unit = lower::lower(&module, &name, Overflow::Undefined);
    if unchecked {
        unit.program.notes.push(UNCHECKED.to_owned());
    }
    std::fs::write(output, pack(&unit)?).map_err(|error| error.to_string())
}

impl Compiler<'_> {
    /// The module in a file of bitcode or text, or why there is none, in one line.
    pub fn read(&self, path: &Path) -> Result<Compiled, String> {
        let bytes = std::fs::read(path).map_err(|error| error.to_string())?;
        let key = Key::of([tool_stamp().as_bytes(), &bytes]);
        let files = vec![path.to_owned()];
        let known = self
            .cache
            .get(Kind::Unit, &key)
            .and_then(|packed| compiled(&packed, key, files.clone(), true));
        if let Some(known) = known {
            return Ok(known);
        }
        let (_scratch, packed) = self.in_scratch(|folder| self.converted(path, folder))?;
        self.cache.put(Kind::Unit, &key, &packed);
        compiled(&packed, key, files, false).ok_or_else(|| DAMAGED.to_owned())
    }

    fn converted(&self, path: &Path, folder: &Path) -> Result<Vec<u8>, String> {
        let output = folder.join("unit");
        let program = std::env::current_exe().map_err(|error| error.to_string())?;
        let mut call = Command::new(program);
        call.arg0(NAME).arg(path).arg(&output);
        let limits = clang::limits();
        let ended = self.cancel.run(&mut call, limits).map_err(|error| error.to_string())?;
        self.cancel.check().map_err(|stopped| stopped.to_string())?;
        if ended.late {
            return Err(format!("reading it was ended after {} s", limits.time.as_secs()));
        }
        let said = String::from_utf8_lossy(&ended.said);
        match ended.status.code() {
            Some(0) => std::fs::read(&output).map_err(|error| error.to_string()),
            Some(_) => Err(module::first_line(&said).to_owned()),
            None => Err(format!("damaged: LLVM gave up on it ({})", module::first_line(&said))),
        }
    }
}
