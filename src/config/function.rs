//! What the settings file says of functions without a body: `[[function]]` with names and what they do.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use serde::Deserialize;

use super::layer::one_or_many;

/// What a function does to the memory of its caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Does {
    /// It changes nothing.
    Pure,
    /// It may change what it is given and what that leads to, and nothing else.
    HavocArgs,
    /// It does not come back.
    Noreturn,
}

/// One `[[function]]` as it is written.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Written {
    #[serde(deserialize_with = "one_or_many")]
    name: Vec<String>,
    does: Option<Does>,
    #[serde(default)]
    nonnull_return: bool,
    model: Option<PathBuf>,
}

/// What is said of one function.
#[derive(Clone, Debug)]
pub struct Function {
    pub name: String,
    pub does: Option<Does>,
    /// A pointer that it returns is not null.
    pub nonnull_return: bool,
    /// A C file that defines it.
    pub model: Option<PathBuf>,
}

/// Understands what stands in the settings file `file`.
pub(super) fn functions(written: Vec<Written>, file: &Path) -> Result<Vec<Function>> {
    let folder = file.parent().unwrap_or(Path::new("/"));
    let mut known = BTreeSet::new();
    let mut functions = Vec::new();
    for Written { name: names, does, nonnull_return, model } in written {
        let named = names.join("`, `");
        let fail = |what: &str| bail!("{}: function `{named}`: {what}", file.display());
        if names.is_empty() || names.iter().any(|name| !is_name(name)) {
            return fail("give the name of a C function");
        }
        if model.is_some() && (does.is_some() || nonnull_return) {
            return fail("`model` says all that it does; drop `does` and `nonnull-return`");
        }
        if does == Some(Does::Noreturn) && nonnull_return {
            return fail("`does = \"noreturn\"` and `nonnull-return` contradict each other");
        }
        if model.is_none() && does.is_none() && !nonnull_return {
            return fail("say what it does: `does`, `nonnull-return` or `model`");
        }
        let model = model.map(|path| folder.join(path));
        if let Some(path) = model.as_ref().filter(|path| !path.is_file()) {
            return fail(&format!("there is no model file {}", path.display()));
        }
        for name in names {
            if !known.insert(name.clone()) {
                bail!("{}: function `{name}` is described twice", file.display());
            }
            functions.push(Function { name, does, nonnull_return, model: model.clone() });
        }
    }
    Ok(functions)
}

fn is_name(name: &str) -> bool {
    let mut chars = name.chars();
    let is_first = |c: char| c.is_ascii_alphabetic() || c == '_';
    chars.next().is_some_and(is_first) && chars.all(|c| is_first(c) || c.is_ascii_digit())
}
