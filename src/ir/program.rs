//! One whole program as plain data: flat tables, typed ids, no reference to LLVM. Built once by
//! lowering and linking, checked by the verifier, and frozen from then on; every later stage only reads it.

use super::consts::{Const, Consts, Init};
use super::debug::{Debug, Loc};
use super::ids::{
    BlockId, ConstId, FuncId, GlobalId, IdRange, InstId, List, LocId, Pool, TextId, TypeId,
    ValueId, VarId,
};
use super::inst::{Callee, GepTerm, Inst, Operand};
use super::types::{Type, Types};
use cranelift_entity::packed_option::PackedOption;
use cranelift_entity::{EntityRef, PrimaryMap};
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use rustc_hash::FxBuildHasher;
use serde::{Deserialize, Serialize};
use std::hash::BuildHasher;

/// The machine the program is compiled for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machine {
    pub triple: String,
    pub data_layout: String,
    pub pointer_bits: u32,
    pub big_endian: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Linkage {
    External,
    /// `static`.
    Internal,
    /// Another definition may take precedence.
    Weak,
}

/// The note on a program with assembly outside its functions.
pub const FILE_ASSEMBLY: &str = "assembly at file level is not modelled";

/// The note on a program that puts something into a section from which the loader runs functions.
pub const RUN_BY_LOADER: &str =
    "functions that the loader runs from a section (`.init_array` and its like) are not modelled";

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Global {
    pub name: String,
    pub ty: TypeId,
    pub size: u64,
    pub align: u32,
    pub linkage: Linkage,
    /// Must not be written.
    pub constant: bool,
    pub thread_local: bool,
    /// `None` for a declaration: defined outside the program.
    pub init: Option<Init>,
    pub var: PackedOption<VarId>,
}

/// What is promised of a function or its parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct FuncAttrs {
    pub noreturn: bool,
    /// `setjmp` and its like.
    pub returns_twice: bool,
    /// Reads and writes no memory of the caller's.
    pub readnone: bool,
    /// Writes no memory of the caller's.
    pub readonly: bool,
    pub returns_nonnull: bool,
    /// Writes nothing but what its arguments lead to; the user vouches for it.
    pub args_only: bool,
    /// Not seen outside what it is linked into, though by other units.
    pub hidden: bool,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Function {
    pub name: String,
    pub linkage: Linkage,
    pub result: TypeId,
    /// One for each parameter; for a declaration, too.
    pub params: IdRange<ValueId>,
    pub variadic: bool,
    /// The entry first; none for a declaration.
    pub blocks: IdRange<BlockId>,
    pub attrs: FuncAttrs,
    /// Bit `i` is set if parameter `i < 64` is declared non-null.
    pub nonnull_params: u64,
    pub loc: PackedOption<LocId>,
}

impl Function {
    /// Whether it has no address if nobody outside defines it.
    pub fn may_be_nowhere(&self) -> bool {
        self.linkage == Linkage::Weak && self.blocks.is_empty()
    }

    /// Whether a call of it may come back more than once. Not every declaration says so.
    pub fn may_return_twice(&self) -> bool {
        self.attrs.returns_twice || self.name.contains("setjmp")
    }
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Block {
    pub func: FuncId,
    pub insts: IdRange<InstId>,
}

/// Who defines a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Def {
    Param { func: FuncId, index: u32 },
    Inst(InstId),
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct Value {
    pub ty: TypeId,
    pub def: Def,
    /// The compiler's name for it; for people.
    pub name: PackedOption<TextId>,
}

/// An instruction with its surroundings.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct InstData {
    pub inst: Inst,
    pub block: BlockId,
    pub result: PackedOption<ValueId>,
    pub loc: PackedOption<LocId>,
}

/// Interned strings, one behind the other: there are as many as values, and a program is read in one go.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Texts {
    all: String,
    ends: PrimaryMap<TextId, usize>,
    #[serde(skip)]
    known: HashTable<TextId>,
}

impl Texts {
    pub fn intern(&mut self, text: &str) -> TextId {
        let Texts { all, ends, known } = self;
        let hash = |text: &str| FxBuildHasher.hash_one(text);
        let of = |ends: &PrimaryMap<TextId, usize>, id| hash(text_of(all, ends, id));
        match known.entry(hash(text), |&id| text_of(all, ends, id) == text, |&id| of(ends, id)) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(place) => {
                let id = ends.next_key();
                place.insert(id);
                all.push_str(text);
                ends.push(all.len())
            }
        }
    }

    pub fn get(&self, id: TextId) -> &str {
        text_of(&self.all, &self.ends, id)
    }

    pub fn is_valid(&self, id: TextId) -> bool {
        self.ends.is_valid(id)
    }

    pub fn iter(&self) -> impl Iterator<Item = (TextId, &str)> {
        self.ends.keys().map(|id| (id, self.get(id)))
    }
}

/// Nothing for an id of another program.
fn text_of<'a>(all: &'a str, ends: &PrimaryMap<TextId, usize>, id: TextId) -> &'a str {
    let start = match id.index().checked_sub(1) {
        Some(before) => ends.get(TextId::new(before)).copied(),
        None => Some(0),
    };
    let range = start.zip(ends.get(id).copied());
    range.and_then(|(start, end)| all.get(start..end)).unwrap_or_default()
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Program {
    /// The target's name.
    pub name: String,
    pub machine: Machine,
    pub types: Types,
    pub consts: Consts,
    pub texts: Texts,
    pub globals: PrimaryMap<GlobalId, Global>,
    pub funcs: PrimaryMap<FuncId, Function>,
    pub blocks: PrimaryMap<BlockId, Block>,
    pub insts: PrimaryMap<InstId, InstData>,
    pub values: PrimaryMap<ValueId, Value>,

    /// Other names for functions and globals.
    pub aliases: Vec<(String, ConstId)>,
    /// `__attribute__((constructor))`, in the order they run before `main`.
    pub constructors: Vec<FuncId>,
    /// `__attribute__((destructor))`, in the order they run after `main`.
    pub destructors: Vec<FuncId>,
    /// What the front end could not express, beside the `Unsupported` instructions.
    pub notes: Vec<String>,

    pub debug: Debug,

    pub operand_pool: Pool<Operand>,
    pub phi_pool: Pool<(BlockId, Operand)>,
    pub term_pool: Pool<GepTerm>,
    pub case_pool: Pool<(ConstId, BlockId)>,
    pub block_pool: Pool<BlockId>,
    pub index_pool: Pool<u32>,
}

impl Program {
    /// Whether a constant is the address of something weak that has none if nobody outside defines it.
    pub fn may_be_nowhere(&self, constant: ConstId) -> bool {
        match *self.consts.get(constant) {
            Const::Func(func) => self.funcs[func].may_be_nowhere(),
            Const::Global { global, .. } => {
                let global = &self.globals[global];
                global.linkage == Linkage::Weak && global.init.is_none()
            }
            _ => false,
        }
    }

    pub fn new(name: &str, machine: Machine) -> Self {
        Program {
            name: name.to_owned(),
            machine,
            types: Types::default(),
            consts: Consts::default(),
            texts: Texts::default(),
            globals: PrimaryMap::new(),
            funcs: PrimaryMap::new(),
            blocks: PrimaryMap::new(),
            insts: PrimaryMap::new(),
            values: PrimaryMap::new(),
            aliases: Vec::new(),
            constructors: Vec::new(),
            destructors: Vec::new(),
            notes: Vec::new(),
            debug: Debug::default(),
            operand_pool: Pool::default(),
            phi_pool: Pool::default(),
            term_pool: Pool::default(),
            case_pool: Pool::default(),
            block_pool: Pool::default(),
            index_pool: Pool::default(),
        }
    }

    /// Whether what comes behind the instruction may be executed more than once for it.
    pub fn may_come_back_twice(&self, id: InstId) -> bool {
        match *self.inst(id) {
            Inst::Call { callee: Callee::Direct(func), .. } => self.funcs[func].may_return_twice(),
            Inst::Unsupported { what, .. } => self.texts.get(what).contains("setjmp"),
            _ => false,
        }
    }

    pub fn inst(&self, id: InstId) -> &Inst {
        &self.insts[id].inst
    }

    /// The instruction's operands of a variable-length list.
    pub fn operands(&self, list: List<Operand>) -> &[Operand] {
        self.operand_pool.get(list)
    }

    pub fn operand_type(&self, operand: Operand) -> TypeId {
        match operand {
            Operand::Value(value) => self.values[value].ty,
            Operand::Const(constant) => self.consts.ty(constant),
        }
    }

    pub fn func_of(&self, inst: InstId) -> FuncId {
        self.blocks[self.insts[inst].block].func
    }

    pub fn func_of_value(&self, value: ValueId) -> FuncId {
        match self.values[value].def {
            Def::Param { func, .. } => func,
            Def::Inst(inst) => self.func_of(inst),
        }
    }

    /// The instruction that makes the operand's value.
    pub fn defined_by(&self, operand: Operand) -> Option<&Inst> {
        match self.values[operand.value()?].def {
            Def::Inst(inst) => Some(self.inst(inst)),
            Def::Param { .. } => None,
        }
    }

    /// Whether an instruction or a variable takes the value.
    pub fn is_used(&self, value: ValueId) -> bool {
        let blocks = self.funcs[self.func_of_value(value)].blocks;
        let mut insts = blocks.iter().flat_map(|block| self.blocks[block].insts.iter());
        insts.any(|at| {
            let mut reads =
                self.debug.bindings_at(at).iter().any(|b| b.value == Operand::Value(value));
            self.for_each_operand(self.inst(at), |operand| {
                reads |= operand == Operand::Value(value)
            });
            reads
        })
    }

    /// What the phis at the start of a block define.
    pub fn phis(&self, block: BlockId) -> impl Iterator<Item = ValueId> + '_ {
        let insts = self.blocks[block].insts.iter();
        let phis = insts.take_while(|&inst| matches!(self.inst(inst), Inst::Phi { .. }));
        phis.filter_map(|inst| self.insts[inst].result.expand())
    }

    pub fn terminator(&self, block: BlockId) -> Option<InstId> {
        self.blocks[block].insts.last()
    }

    pub fn func_by_name(&self, name: &str) -> Option<FuncId> {
        self.funcs.iter().find(|(_, f)| f.name == name).map(|(id, _)| id).or_else(|| {
            let &(_, constant) = self.aliases.iter().find(|(alias, _)| alias == name)?;
            match self.consts.get(constant) {
                Const::Func(func) => Some(*func),
                _ => None,
            }
        })
    }

    pub fn loc(&self, inst: InstId) -> Option<&Loc> {
        self.insts[inst].loc.expand().map(|loc| &self.debug.locs[loc])
    }

    /// Whether it is a string literal or the like: C has no name for it.
    pub fn is_unnamed(&self, global: &Global) -> bool {
        let var = global.var.expand().map(|var| self.debug.vars[var].name.as_str());
        global.linkage == Linkage::Internal && global.constant && var.unwrap_or_default().is_empty()
    }

    pub fn is_pointer(&self, operand: Operand) -> bool {
        matches!(self.types.get(self.operand_type(operand)), Type::Ptr)
    }

    /// Calls `visit` with each operand `inst` reads, in the order of its text form; blocks and types
    /// are not operands.
    pub fn for_each_operand(&self, inst: &Inst, mut visit: impl FnMut(Operand)) {
        match *inst {
            Inst::Binary { lhs, rhs, .. }
            | Inst::Overflow { lhs, rhs, .. }
            | Inst::IntCmp { lhs, rhs, .. }
            | Inst::FloatCmp { lhs, rhs, .. }
            | Inst::Shuffle { lhs, rhs, .. } => {
                visit(lhs);
                visit(rhs);
            }
            Inst::Cast { value, .. } | Inst::Freeze { value } => visit(value),
            Inst::Pure { args, .. } | Inst::Unsupported { args, .. } => {
                self.operands(args).iter().copied().for_each(visit);
            }
            Inst::Select { cond, then, els } => {
                visit(cond);
                visit(then);
                visit(els);
            }
            Inst::Phi { incoming } => {
                self.phi_pool.get(incoming).iter().for_each(|&(_, value)| visit(value));
            }
            Inst::Extract { aggregate, .. } => visit(aggregate),
            Inst::Insert { aggregate, value, .. } => {
                visit(aggregate);
                visit(value);
            }
            Inst::ExtractElement { vector, index } => {
                visit(vector);
                visit(index);
            }
            Inst::InsertElement { vector, value, index } => {
                visit(vector);
                visit(value);
                visit(index);
            }
            Inst::Alloca { count, .. } => visit(count),
            Inst::Load { ptr, .. } => visit(ptr),
            Inst::Store { ptr, value, .. } => {
                visit(ptr);
                visit(value);
            }
            Inst::Gep { base, terms, .. } => {
                visit(base);
                self.term_pool.get(terms).iter().for_each(|term| visit(term.index));
            }
            Inst::MemCopy { dst, src, len, .. } => {
                visit(dst);
                visit(src);
                visit(len);
            }
            Inst::MemSet { dst, byte, len, .. } => {
                visit(dst);
                visit(byte);
                visit(len);
            }
            Inst::AtomicRmw { ptr, value, .. } => {
                visit(ptr);
                visit(value);
            }
            Inst::CmpXchg { ptr, expected, new, .. } => {
                visit(ptr);
                visit(expected);
                visit(new);
            }
            Inst::LifetimeStart { object } | Inst::LifetimeEnd { object } => visit(object),
            Inst::StackRestore { saved } => visit(saved),
            Inst::VaStart { list } | Inst::VaEnd { list } | Inst::VaArg { list } => visit(list),
            Inst::VaCopy { dst, src } => {
                visit(dst);
                visit(src);
            }
            Inst::Call { callee, args } => {
                if let super::inst::Callee::Indirect(target) = callee {
                    visit(target);
                }
                self.operands(args).iter().copied().for_each(visit);
            }
            Inst::Check { cond, .. } | Inst::Assume { cond } | Inst::Branch { cond, .. } => {
                visit(cond);
            }
            Inst::Switch { value, .. } => visit(value),
            Inst::IndirectJump { address, .. } => visit(address),
            Inst::Return { value } => {
                if let Some(value) = value {
                    visit(value);
                }
            }
            Inst::Uninit
            | Inst::Fence
            | Inst::StackSave
            | Inst::Jump { .. }
            | Inst::Unreachable => {}
        }
    }

    /// Calls `visit` with each block that can follow the terminator `inst`; one that several cases
    /// lead to comes several times.
    pub fn for_each_successor(&self, inst: &Inst, mut visit: impl FnMut(BlockId)) {
        match *inst {
            Inst::Jump { to } => visit(to),
            Inst::Branch { then, els, .. } => {
                visit(then);
                visit(els);
            }
            Inst::Switch { cases, default, .. } => {
                self.case_pool.get(cases).iter().for_each(|&(_, to)| visit(to));
                visit(default);
            }
            Inst::IndirectJump { targets, .. } => {
                self.block_pool.get(targets).iter().copied().for_each(visit);
            }
            _ => debug_assert!(
                !inst.is_terminator() || matches!(inst, Inst::Return { .. } | Inst::Unreachable)
            ),
        }
    }

    /// The blocks that follow `block`, without repetition, in the terminator's order.
    pub fn successors(&self, block: BlockId) -> Vec<BlockId> {
        let mut next = Vec::with_capacity(2);
        if let Some(last) = self.terminator(block) {
            self.for_each_successor(self.inst(last), |to| {
                if !next.contains(&to) {
                    next.push(to);
                }
            });
        }
        next
    }
}
