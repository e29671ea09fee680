//! What the settings file says of functions without a body, put into the model: attributes of declarations, and C
//! files that define them.

use crate::cegas;
use crate::config::{Does, Settings};
use crate::frontend::Source;
use crate::frontend::unit::{Compiled, Compiler};
use crate::ir::{Callee, FuncId, Inst, Program};
use anyhow::{Context, Result, bail};
use cranelift_entity::EntitySet;
use std::path::{Path, PathBuf};

/// A file of the user's that defines functions.
#[derive(Debug)]
pub(super) struct UserModel {
    pub file: PathBuf,
    /// The functions that it is there for.
    pub names: Vec<String>,
    pub compiled: Compiled,
}

impl UserModel {
    /// Whether a program of these units needs it: something is used that no unit defines.
    pub fn is_for(&self, units: &[(String, &Compiled)]) -> bool {
        self.names.iter().any(|name| {
            let is_in = |list: &[String]| list.iter().any(|known| known == name);
            !units.iter().any(|(_, unit)| is_in(&unit.symbols.defined))
        })
    }
}

/// Compiles the models of the settings file. One that does not compile, or does not define its function, is refused.
pub(super) fn compile(settings: &Settings, compiler: &Compiler<'_>) -> Result<Vec<UserModel>> {
    let mut models: Vec<UserModel> = Vec::new();
    for function in &settings.functions {
        let Some(file) = &function.model else { continue };
        let known = models.iter().position(|model| model.file == *file);
        let index = match known {
            Some(index) => index,
            None => {
                let compiled = compiled(file, compiler).with_context(|| {
                    format!("the model of `{}` does not compile", function.name)
                })?;
                models.push(UserModel { file: file.clone(), names: Vec::new(), compiled });
                models.len() - 1
            }
        };
        if !models[index].compiled.symbols.defined.contains(&function.name) {
            bail!("{} does not define `{}`, whose model it is", file.display(), function.name);
        }
        models[index].names.push(function.name.clone());
    }
    Ok(models)
}

fn compiled(file: &PathBuf, compiler: &Compiler<'_>) -> Result<Compiled> {
    let folder = file.parent().unwrap_or(Path::new("/"));
    let build = compile_db::from_files(&[file], &[], folder);
    let [unit] = &build.units[..] else { bail!("{} is no C file", file.display()) };
    let source = Source::C(unit.clone());
    let mut all = crate::frontend::compile(std::slice::from_ref(&source), compiler, |_| {});
    match all.pop() {
        Some(Ok(compiled)) => Ok(compiled),
        Some(Err(error)) => bail!("{error}"),
        None => bail!("{} was not compiled", file.display()),
    }
}

/// So many names are told.
const SHOWN: usize = 12;

/// What is assumed of the functions without a body that the program calls, in one line; nothing if all are known.
pub(super) fn assumed(program: &Program) -> Option<String> {
    let called: EntitySet<FuncId> = called(program);
    let is_unknown = |func: FuncId| {
        let function = &program.funcs[func];
        let is_told = function.attrs.readnone || function.attrs.noreturn;
        function.blocks.is_empty() && !is_told && !cegas::is_known(&function.name)
    };
    let unknown = called.iter().filter(|&func| is_unknown(func));
    let mut names: Vec<&str> = unknown.map(|func| program.funcs[func].name.as_str()).collect();
    names.sort_unstable();
    if names.is_empty() {
        return None;
    }
    let shown: Vec<String> = names.iter().take(SHOWN).map(|name| format!("`{name}`")).collect();
    let more = match names.len().saturating_sub(SHOWN) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let they = if names.len() == 1 { "it is" } else { "they are" };
    Some(format!(
        "assumed: {}{more} may change what {they} given, and nothing else",
        shown.join(", ")
    ))
}

fn called(program: &Program) -> EntitySet<FuncId> {
    let mut called = EntitySet::new();
    for data in program.insts.values() {
        if let Inst::Call { callee: Callee::Direct(func), .. } = data.inst {
            called.insert(func);
        }
    }
    called
}

/// Says of the program's declarations what the settings say of them; what does not fit is a note.
pub(super) fn apply(program: &mut Program, settings: &Settings) {
    for described in settings.functions.iter().filter(|function| function.model.is_none()) {
        let known = program.funcs.iter().find(|(_, func)| func.name == described.name);
        let Some((func, function)) = known else { continue };
        if !function.blocks.is_empty() {
            let text =
                format!("`{}` has a body; what the settings say of it is not used", function.name);
            program.notes.push(text);
            continue;
        }
        let attrs = &mut program.funcs[func].attrs;
        attrs.returns_nonnull |= described.nonnull_return;
        match described.does {
            None => {}
            Some(Does::Pure) => attrs.readnone = true,
            Some(Does::HavocArgs) => attrs.args_only = true,
            Some(Does::Noreturn) => attrs.noreturn = true,
        }
    }
}
