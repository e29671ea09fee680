//! What functions are, whatever stands around them: what verdicts depend on, as digests.

use super::models;
use crate::ir::{self, Digest, FuncId, Program};
use crate::rules::Obligation;
use cranelift_entity::{EntityRef, SecondaryMap};

/// The functions of a program by what they are.
pub(super) struct Texts<'p> {
    program: &'p Program,
    digests: SecondaryMap<FuncId, Option<Digest>>,
    /// What runs before and after `main`, in its order.
    around: Digest,
}

/// What is asked in each function.
pub(super) type Asked<'o> = SecondaryMap<FuncId, Vec<&'o Obligation>>;

pub(super) fn asked<'o>(program: &Program, open: &'o [Obligation]) -> Asked<'o> {
    let mut asked: Asked<'o> = SecondaryMap::new();
    open.iter().for_each(|obligation| asked[program.func_of(obligation.at)].push(obligation));
    asked
}

impl<'p> Texts<'p> {
    pub fn new(program: &'p Program, asked: &Asked<'_>) -> Self {
        let mut digests = ir::digests(program);
        // What is asked inside a model is answered by its callers.
        for func in program.funcs.keys().filter(|&func| models::is_model(program, func)) {
            let text = digests[func].unwrap_or_default();
            let asked = asked_at(program, asked[func].iter().copied());
            digests[func] = Some(digest([&text[..], &asked]));
        }
        let name = |func: &FuncId| program.funcs[*func].name.as_bytes();
        let (first, last) = (program.constructors.iter(), program.destructors.iter());
        let around = digest(first.map(name).chain([&b"main"[..]]).chain(last.map(name)));
        Texts { program, digests, around }
    }

    /// What these functions are, whatever their ids.
    pub fn together(&self, funcs: impl Iterator<Item = FuncId>) -> Digest {
        let mut all: Vec<Digest> = funcs.filter_map(|func| self.digests[func]).collect();
        all.sort_unstable();
        digest(all.iter().map(|one| &one[..]))
    }

    /// Where these functions stand.
    pub fn lines(&self, funcs: impl Iterator<Item = FuncId>) -> Digest {
        let mut all: Vec<Vec<u8>> = Vec::new();
        for func in funcs {
            let function = &self.program.funcs[func];
            let Some(loc) = function.loc.expand().map(|loc| &self.program.debug.locs[loc]) else {
                continue;
            };
            let file = self.program.debug.files[loc.file].path();
            let mut text = file.as_os_str().as_encoded_bytes().to_vec();
            text.extend(format!(" {} {}", loc.line, function.name).bytes());
            all.push(text);
        }
        all.sort_unstable();
        digest(all.iter().map(Vec::as_slice))
    }

    /// The key of what depends on these parts, on a function's name and on what runs around all.
    pub fn key<'a>(&self, func: FuncId, parts: impl IntoIterator<Item = &'a [u8]>) -> String {
        let name = self.program.funcs[func].name.as_bytes();
        let key = digest([name, &self.around, &digest(parts)]);
        key.iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

/// What is asked in one function.
pub(super) fn asked_at<'o>(
    program: &Program,
    asked: impl Iterator<Item = &'o Obligation>,
) -> Vec<u8> {
    let mut text = Vec::new();
    for obligation in asked {
        let func = &program.funcs[program.func_of(obligation.at)];
        let first = func.blocks.first().and_then(|block| program.blocks[block].insts.first());
        let number = obligation.at.index() - first.map_or(0, EntityRef::index);
        text.extend(format!("{number} {}\n", obligation.rule).bytes());
    }
    text
}

/// Of parts with their lengths, so that no two lists run together.
pub(super) fn digest<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> Digest {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    *hasher.finalize().as_bytes()
}
