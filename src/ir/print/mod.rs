//! The text form of a program, for people and for [`parse`](super::parse): one statement a line,
//! nothing depends on indentation, `;` starts a comment.
//!
//! ```text
//! program "demo"
//! machine "x86_64-pc-linux-gnu" layout "e-m:e" pointer 64 little
//! type t0 = i32 size 4 store 4 align 4
//! global g0 @limit: i32 size 4 align 4 internal constant = b"\x07"
//! func f0 @main(v0 %argc: i32) -> i32 external !l0 {
//! b0:
//!     bind var0 = v0  ; argc
//!     v1: i32 = load ptr @limit, align 4 !l1  ; main.c:3:7
//!     v2 %sum: i32 = add v0, v1 !l1  ; main.c:3:9
//!     return v2
//! }
//! ```
//!
//! Invariants: every table is written with its ids, so the parser gives back the same ids; a constant
//! is written with its type wherever it is used; what is made of other constants or of non-scalar
//! types is written by its id (`c7`, `t3`), so nothing here recurses; a damaged program prints, too
//! (an id out of range is written as it is), since the verifier's messages use the printer.

mod apart;
mod debug;
mod inst;
mod values;

pub use apart::{Digest, digests};

use super::consts::Init;
use super::ids::{FuncId, GlobalId, InstId, TextId, TypeId};
use super::program::{Function, Global, Program};
use super::words::{FUNC_ATTRS, Word};
use apart::Row;
use cranelift_entity::EntityRef;
use rustc_hash::FxHashSet;
use std::fmt::{self, Write};

/// The whole program as text.
pub fn print(program: &Program) -> String {
    program.to_string()
}

/// One function as text.
pub fn print_function(program: &Program, func: FuncId) -> String {
    let mut text = String::new();
    // Writing into a `String` does not fail.
    let _ = write_function(&mut text, program, func);
    text
}

/// One instruction as text, without its location.
pub fn print_inst(program: &Program, inst: InstId) -> String {
    let mut text = String::new();
    let _ = Printer::new(program, &mut text).inst(inst);
    text
}

/// A type as it is written where it is used.
pub fn type_text(program: &Program, ty: TypeId) -> String {
    let mut text = String::new();
    let _ = Printer::new(program, &mut text).ty(ty);
    text
}

pub fn write_program(out: &mut dyn Write, program: &Program) -> fmt::Result {
    Printer::new(program, out).program()
}

pub fn write_function(out: &mut dyn Write, program: &Program, func: FuncId) -> fmt::Result {
    match program.funcs.get(func) {
        Some(function) => Printer::new(program, out).function(func, function),
        None => writeln!(out, "; there is no function {func}"),
    }
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_program(f, self)
    }
}

struct Printer<'p, 'o> {
    program: &'p Program,
    out: &'o mut dyn Write,
    /// Names that several globals or functions bear (the verifier forbids it): they are written with
    /// the id.
    ambiguous: FxHashSet<&'p str>,
    /// Ids as they would be if the function were alone.
    apart: Option<apart::Apart>,
}

impl<'p, 'o> Printer<'p, 'o> {
    fn new(program: &'p Program, out: &'o mut dyn Write) -> Self {
        let mut seen = FxHashSet::default();
        let globals = program.globals.values().map(|global| global.name.as_str());
        let funcs = program.funcs.values().map(|func| func.name.as_str());
        let ambiguous = globals.chain(funcs).filter(|name| !seen.insert(*name)).collect();
        Printer { program, out, ambiguous, apart: None }
    }

    fn program(&mut self) -> fmt::Result {
        let program = self.program;
        let machine = &program.machine;
        let endian = if machine.big_endian { "big" } else { "little" };
        writeln!(self.out, "program {:?}", program.name)?;
        writeln!(
            self.out,
            "machine {:?} layout {:?} pointer {} {endian}",
            machine.triple, machine.data_layout, machine.pointer_bits
        )?;
        self.types()?;
        for (id, global) in &program.globals {
            self.global(id, global)?;
        }
        for (name, target) in &program.aliases {
            self.out.write_str("alias ")?;
            self.name('@', name)?;
            self.out.write_str(" = ")?;
            self.constant(*target)?;
            self.out.write_char('\n')?;
        }
        for (word, funcs) in
            [("constructor", &program.constructors), ("destructor", &program.destructors)]
        {
            for &func in funcs {
                write!(self.out, "{word} ")?;
                self.func_name(func)?;
                self.out.write_char('\n')?;
            }
        }
        for note in &program.notes {
            writeln!(self.out, "note {note:?}")?;
        }
        for (id, function) in &program.funcs {
            self.out.write_char('\n')?;
            self.function(id, function)?;
        }
        self.out.write_char('\n')?;
        self.consts()?;
        for id in (0..).map(TextId::new).take_while(|&id| program.texts.is_valid(id)) {
            writeln!(self.out, "text {id} = {:?}", program.texts.get(id))?;
        }
        self.debug()
    }

    fn global(&mut self, id: GlobalId, global: &Global) -> fmt::Result {
        write!(self.out, "global {id} ")?;
        self.name('@', &global.name)?;
        self.out.write_str(": ")?;
        self.ty(global.ty)?;
        let linkage = global.linkage.word();
        write!(self.out, " size {} align {} {linkage}", global.size, global.align)?;
        for (word, set) in [("constant", global.constant), ("thread_local", global.thread_local)] {
            if set {
                write!(self.out, " {word}")?;
            }
        }
        if let Some(var) = global.var.expand() {
            write!(self.out, " !{var}")?;
        }
        if let Some(Init { bytes, relocs }) = &global.init {
            write!(self.out, " = b\"{}\"", bytes.escape_ascii())?;
            if !relocs.is_empty() {
                self.out.write_char(' ')?;
                self.list(('[', ']'), relocs, |p, &(offset, value)| {
                    write!(p.out, "{offset}: ")?;
                    p.constant(value)
                })?;
            }
        }
        self.out.write_char('\n')
    }

    fn function(&mut self, id: FuncId, function: &Function) -> fmt::Result {
        write!(self.out, "func {id} ")?;
        self.signature(function)?;
        if let Some(loc) = function.loc.expand() {
            write!(self.out, " !{loc}")?;
        }
        if function.blocks.is_empty() {
            return self.end_line(function.loc.expand());
        }
        self.out.write_str(" {")?;
        self.end_line(function.loc.expand())?;
        let blocks = &self.program.blocks;
        for block in function.blocks.iter().take_while(|&block| blocks.is_valid(block)) {
            writeln!(self.out, "{block}:")?;
            let insts = &self.program.insts;
            for inst in blocks[block].insts.iter().take_while(|&inst| insts.is_valid(inst)) {
                self.bindings(inst)?;
                self.out.write_str("    ")?;
                self.inst(inst)?;
                let loc = insts[inst].loc.expand();
                if let Some(loc) = loc {
                    write!(self.out, " !{loc}")?;
                }
                self.end_line(loc)?;
            }
        }
        self.out.write_str("}\n")
    }

    /// The name, the parameters and what is promised of the function.
    fn signature(&mut self, function: &Function) -> fmt::Result {
        self.name('@', &function.name)?;
        self.out.write_char('(')?;
        let values = &self.program.values;
        let params = function.params.iter().take_while(|&param| values.is_valid(param));
        for (index, param) in params.enumerate() {
            if index > 0 {
                self.out.write_str(", ")?;
            }
            self.definition(param)?;
            if index < 64 && function.nonnull_params >> index & 1 == 1 {
                self.out.write_str(" nonnull")?;
            }
        }
        if function.variadic {
            self.out.write_str(if function.params.is_empty() { "..." } else { ", ..." })?;
        }
        self.out.write_str(") -> ")?;
        self.ty(function.result)?;
        write!(self.out, " {}", function.linkage.word())?;
        let mut attrs = function.attrs;
        for (word, flag) in FUNC_ATTRS {
            if *flag(&mut attrs) {
                write!(self.out, " {word}")?;
            }
        }
        Ok(())
    }

    fn func_name(&mut self, id: FuncId) -> fmt::Result {
        if let Some(apart) = &mut self.apart {
            apart.mention(Row::Func(id));
        }
        let name = self.program.funcs.get(id).map(|func| func.name.as_str());
        self.symbol(name, id)
    }

    fn global_name(&mut self, id: GlobalId) -> fmt::Result {
        if self.apart.is_some() {
            return self.row(Row::Global(id), id);
        }
        let name = self.program.globals.get(id).map(|global| global.name.as_str());
        self.symbol(name, id)
    }

    /// `@name`, and `#id` after it unless the name alone says which.
    fn symbol(&mut self, name: Option<&str>, id: impl fmt::Display) -> fmt::Result {
        self.name('@', name.unwrap_or_default())?;
        if name.is_none_or(|name| self.ambiguous.contains(name)) {
            write!(self.out, "#{id}")?;
        }
        Ok(())
    }

    /// A name after its sigil; quoted unless it is a plain identifier.
    fn name(&mut self, sigil: char, name: &str) -> fmt::Result {
        self.out.write_char(sigil)?;
        if !name.is_empty() && name.bytes().all(is_bare) {
            self.out.write_str(name)
        } else {
            write!(self.out, "{name:?}")
        }
    }

    /// Items between commas and inside the brackets.
    fn list<T>(
        &mut self,
        (open, close): (char, char),
        items: &[T],
        mut item: impl FnMut(&mut Self, &T) -> fmt::Result,
    ) -> fmt::Result {
        self.out.write_char(open)?;
        for (index, it) in items.iter().enumerate() {
            if index > 0 {
                self.out.write_str(", ")?;
            }
            item(self, it)?;
        }
        self.out.write_char(close)
    }
}

/// Whether a name of such bytes is written without quotes.
pub(super) fn is_bare(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'$')
}
