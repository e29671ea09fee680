//! A function as if it were alone: ids count from its own start and lines from its first one, and what it mentions of the
//! program's tables comes behind it. Two functions with the same digest are the same, wherever they stand in
//! whatever programs, as long as the functions that they call are.
//!
//! What has a name is known by it; a string literal by what it holds and by how many alike come before it. Of a
//! failed assertion's message only the condition counts: the rest says where it stands.

use super::Printer;
use crate::ir::consts::Const;
use crate::ir::debug::VarKind;
use crate::ir::ids::{
    BlockId, CTypeId, ConstId, FileId, FuncId, GlobalId, List, LocId, TypeId, ValueId, VarId,
};
use crate::ir::inst::{Callee, Operand};
use crate::ir::program::{Def, Global, Program};
use crate::ir::words::Word;
use cranelift_entity::{EntityRef, SecondaryMap};
use rustc_hash::FxHashMap;
use std::fmt::{self, Write};

/// Says what a function is, up to where it stands.
pub type Digest = [u8; 32];

/// Rows of the program's tables that a function mentions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Row {
    Type(TypeId),
    Const(ConstId),
    CType(CTypeId),
    Var(VarId),
    Global(GlobalId),
    Func(FuncId),
}

#[derive(Debug, Default)]
pub(super) struct Apart {
    first_block: usize,
    first_inst: usize,
    /// Where the function begins.
    home: Option<(FileId, u32)>,
    numbers: FxHashMap<Row, usize>,
    rows: Vec<Row>,
}

impl Apart {
    /// The number of a row, in the order of first mention.
    pub fn mention(&mut self, row: Row) -> usize {
        let next = self.rows.len();
        let number = *self.numbers.entry(row).or_insert(next);
        if number == next {
            self.rows.push(row);
        }
        number
    }
}

/// The digests of the functions with a body.
pub fn digests(program: &Program) -> SecondaryMap<FuncId, Option<Digest>> {
    let mut all = SecondaryMap::new();
    let contents = contents(program);
    let mut text = String::new();
    for (func, function) in &program.funcs {
        if function.blocks.is_empty() {
            continue;
        }
        text.clear();
        let mut printer = Printer::alone(program, &mut text, func);
        // Writing into a `String` does not fail.
        let _ = printer.alone_function(func, &contents);
        all[func] = Some(*blake3::hash(text.as_bytes()).as_bytes());
    }
    all
}

/// What each global holds, without its pointers; for one without a name also which of those alike it is.
fn contents(program: &Program) -> SecondaryMap<GlobalId, Option<(Digest, u32)>> {
    let mut alike: FxHashMap<Digest, u32> = FxHashMap::default();
    let mut all = SecondaryMap::new();
    for (id, global) in &program.globals {
        let bytes = global.init.as_ref().map(|init| &*init.bytes);
        let digest = *blake3::hash(bytes.unwrap_or_default()).as_bytes();
        let mut number = 0;
        if program.is_unnamed(global) {
            let count = alike.entry(digest).or_insert(0);
            number = *count;
            *count += 1;
        }
        all[id] = Some((digest, number));
    }
    all
}

impl<'p, 'o> Printer<'p, 'o> {
    fn alone(program: &'p Program, out: &'o mut dyn Write, func: FuncId) -> Self {
        let function = &program.funcs[func];
        let first = function.blocks.first();
        let inst = first.and_then(|block| program.blocks[block].insts.first());
        let home = function.loc.expand().map(|loc| &program.debug.locs[loc]);
        let apart = Apart {
            first_block: first.map_or(0, EntityRef::index),
            first_inst: inst.map_or(0, EntityRef::index),
            home: home.map(|loc| (loc.file, loc.line)),
            ..Apart::default()
        };
        Printer { program, out, ambiguous: Default::default(), apart: Some(apart) }
    }

    fn alone_function(
        &mut self,
        func: FuncId,
        contents: &SecondaryMap<GlobalId, Option<(Digest, u32)>>,
    ) -> fmt::Result {
        let program = self.program;
        let function = &program.funcs[func];
        self.signature(function)?;
        self.out.write_char('\n')?;
        for block in function.blocks.iter() {
            self.block(block)?;
            self.out.write_char('\n')?;
            for inst in program.blocks[block].insts.iter() {
                for binding in program.debug.bindings_at(inst) {
                    self.row(Row::Var(binding.var), binding.var)?;
                    write!(self.out, " {} ", binding.address)?;
                    self.operand(binding.value)?;
                    self.out.write_char('\n')?;
                }
                self.inst(inst)?;
                self.alone_loc(program.insts[inst].loc.expand())?;
                self.out.write_char('\n')?;
            }
        }
        let mut next = 0;
        while let Some(&row) = self.apart.as_ref().and_then(|apart| apart.rows.get(next)) {
            write!(self.out, "#{next} ")?;
            next += 1;
            self.alone_row(row, contents)?;
            self.out.write_char('\n')?;
        }
        Ok(())
    }

    fn alone_row(
        &mut self,
        row: Row,
        contents: &SecondaryMap<GlobalId, Option<(Digest, u32)>>,
    ) -> fmt::Result {
        let program = self.program;
        match row {
            Row::Type(ty) => self.type_definition(ty),
            Row::Const(constant) => {
                let value: &Const = program.consts.get(constant);
                self.typed_constant(program.consts.ty(constant), value)
            }
            Row::CType(ctype) => self.ctype(&program.debug.ctypes[ctype]),
            Row::Var(var) => {
                let var = &program.debug.vars[var];
                match var.kind {
                    VarKind::Param(index) => write!(self.out, "param {index}")?,
                    VarKind::Local => self.out.write_str("local")?,
                    VarKind::Global => self.out.write_str("global")?,
                }
                write!(self.out, " {:?} ", var.name)?;
                match var.ty.expand() {
                    Some(ty) => self.row(Row::CType(ty), ty),
                    None => Ok(()),
                }
            }
            Row::Global(global) => self.alone_global(&program.globals[global], contents[global]),
            Row::Func(func) => {
                let function = &program.funcs[func];
                self.signature(function)?;
                write!(self.out, " {}", function.blocks.is_empty())
            }
        }
    }

    fn alone_global(&mut self, global: &Global, content: Option<(Digest, u32)>) -> fmt::Result {
        if !self.program.is_unnamed(global) {
            self.name('@', &global.name)?;
        }
        let (digest, number) = content.unwrap_or_default();
        write!(self.out, " {number} {} ", global.init.is_some())?;
        digest.iter().try_for_each(|byte| write!(self.out, "{byte:02x}"))?;
        self.out.write_char(' ')?;
        self.ty(global.ty)?;
        let (linkage, constant, own) =
            (global.linkage.word(), global.constant, global.thread_local);
        write!(self.out, " {} {} {linkage} {constant} {own} ", global.size, global.align)?;
        if let Some(var) = global.var.expand() {
            self.row(Row::Var(var), var)?;
        }
        let relocs = global.init.iter().flat_map(|init| &init.relocs);
        for &(offset, value) in relocs {
            write!(self.out, " {offset}: ")?;
            self.constant(value)?;
        }
        Ok(())
    }

    /// A place, from the function's first line if it is in the same file.
    fn alone_loc(&mut self, loc: Option<LocId>) -> fmt::Result {
        let program = self.program;
        let mut next = loc;
        while let Some(loc) = next.and_then(|loc| program.debug.locs.get(loc)) {
            match self.apart.as_ref().and_then(|apart| apart.home) {
                // What the compiler made up stands on no line.
                _ if loc.line == 0 => self.out.write_str(" none")?,
                Some((file, line)) if file == loc.file => {
                    write!(self.out, " +{}", loc.line.wrapping_sub(line))?;
                }
                _ => {
                    let file = &program.debug.files[loc.file];
                    write!(self.out, " {:?} {:?} {}", file.directory, file.name, loc.line)?;
                }
            }
            write!(self.out, ":{}", loc.column)?;
            next = loc.inlined_at.expand();
        }
        Ok(())
    }

    /// A row of a table: its id, or its number for a function that is alone.
    pub(super) fn row(&mut self, row: Row, id: impl fmt::Display) -> fmt::Result {
        match &mut self.apart {
            Some(apart) => write!(self.out, "#{}", apart.mention(row)),
            None => write!(self.out, "{id}"),
        }
    }

    pub(super) fn block(&mut self, block: BlockId) -> fmt::Result {
        match &self.apart {
            // A label of another function wraps around.
            Some(apart) => write!(self.out, "b{}", block.index().wrapping_sub(apart.first_block)),
            None => write!(self.out, "{block}"),
        }
    }

    pub(super) fn value(&mut self, value: ValueId) -> fmt::Result {
        match (&self.apart, self.program.values.get(value)) {
            (Some(apart), Some(data)) => match data.def {
                Def::Param { index, .. } => write!(self.out, "p{index}"),
                Def::Inst(inst) => {
                    write!(self.out, "v{}", inst.index().wrapping_sub(apart.first_inst))
                }
            },
            (None, _) | (_, None) => write!(self.out, "{value}"),
        }
    }

    /// The arguments that say what a call does.
    pub(super) fn told_args(&self, callee: Callee, args: List<Operand>) -> &'p [Operand] {
        let args = self.program.operands(args);
        let Callee::Direct(func) = callee else { return args };
        let is_message =
            self.program.funcs.get(func).is_some_and(|function| {
                function.blocks.is_empty() && function.name == "__assert_fail"
            });
        if self.apart.is_some() && is_message { args.get(..1).unwrap_or(args) } else { args }
    }
}
