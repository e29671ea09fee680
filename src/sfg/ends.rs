//! Which instructions may end the execution, or leave what the model knows: they decide about everything
//! behind them, whatever they compute. An access of memory is free of that only if it names a variable
//! that is alive there, inside its bounds.

use super::before::Callers;
use crate::ir::{
    BinaryOp, BlockId, Callee, CheckKind, Const, Def, FuncId, Inst, InstId, Operand, Program,
};
use crate::pta::PointsTo;
use rustc_hash::{FxHashMap, FxHashSet};

/// Functions without a body that return whatever happens, if what they are given to read is there, and change
/// nothing but what they return.
const HARMLESS: &[&str] = &[
    "printf",
    "fprintf",
    "puts",
    "putchar",
    "fputs",
    "fputc",
    "putc",
    "perror",
    "fflush",
    "vprintf",
    "vfprintf",
    "srand",
    "srandom",
    "sleep",
    "usleep",
    "clock",
    "rand",
    "random",
    "getpid",
    "malloc",
    "__builtin_malloc",
    "calloc",
    "abs",
    "labs",
    "llabs",
    "__VERIFIER_print_hull",
    "__VERIFIER_assert",
    "svf_assert",
    "svf_assert_eq",
    "MUSTALIAS",
    "MAYALIAS",
    "NOALIAS",
    "PARTIALALIAS",
];

/// Ways a pointer may have come that are looked at before giving up.
const MOST_WAYS: usize = 64;

/// What a pointer is made of.
enum Base {
    /// A global's part of that many bytes.
    Bytes {
        size: u64,
        constant: bool,
    },
    /// A local variable.
    Variable {
        site: InstId,
        size: u64,
    },
    /// Another pointer and an offset.
    Step(Operand, i64),
    OneOf(Vec<Operand>),
    /// The arguments of calls.
    Given(Vec<(Operand, InstId)>),
    Unclear,
}

#[derive(Debug)]
pub struct Ends<'a> {
    program: &'a Program,
    answer: &'a PointsTo,
    callers: &'a Callers,
    /// For each variable with a scope: the blocks on whose entry it may be dead.
    dead: FxHashMap<InstId, FxHashSet<BlockId>>,
    /// Functions in which something of another kind ends lives.
    unclear: FxHashSet<FuncId>,
}

/// The variable whose scope an instruction opens or closes.
fn scope(program: &Program, inst: &Inst) -> Option<(InstId, bool)> {
    let (object, opens) = match *inst {
        Inst::LifetimeStart { object } => (object, true),
        Inst::LifetimeEnd { object } => (object, false),
        _ => return None,
    };
    match program.values[object.value()?].def {
        Def::Inst(site) if matches!(program.inst(site), Inst::Alloca { .. }) => Some((site, opens)),
        Def::Inst(_) | Def::Param { .. } => None,
    }
}

impl<'a> Ends<'a> {
    pub fn new(program: &'a Program, answer: &'a PointsTo, callers: &'a Callers) -> Self {
        let mut ends = Ends {
            program,
            answer,
            callers,
            dead: FxHashMap::default(),
            unclear: FxHashSet::default(),
        };
        for &func in &answer.reachable {
            ends.scopes(func);
        }
        ends
    }

    fn scopes(&mut self, func: FuncId) {
        let program = self.program;
        let mut closed: Vec<(InstId, BlockId)> = Vec::new();
        for block in program.funcs[func].blocks.iter() {
            let mut last: FxHashMap<InstId, bool> = FxHashMap::default();
            for inst in program.blocks[block].insts.iter() {
                let inst = program.inst(inst);
                match scope(program, inst) {
                    Some((site, opens)) => _ = last.insert(site, opens),
                    None if matches!(inst, Inst::LifetimeEnd { .. }) => {
                        self.unclear.insert(func);
                    }
                    None => {}
                }
            }
            let mut ended: Vec<InstId> =
                last.into_iter().filter(|(_, opens)| !opens).map(|(site, _)| site).collect();
            ended.sort_unstable();
            closed.extend(ended.into_iter().map(|site| (site, block)));
        }
        for (site, block) in closed {
            let mut waiting = program.successors(block);
            while let Some(next) = waiting.pop() {
                let dead = self.dead.entry(site).or_default();
                if !dead.insert(next) {
                    continue;
                }
                let insts = program.blocks[next].insts.iter();
                let scopes = insts.filter_map(|inst| scope(program, program.inst(inst)));
                if !scopes.into_iter().any(|(at, _)| at == site) {
                    waiting.extend(program.successors(next));
                }
            }
        }
    }

    /// Whether the variable is alive where `inst` stands.
    fn is_alive(&self, site: InstId, inst: InstId) -> bool {
        let program = self.program;
        let block = program.insts[inst].block;
        if self.unclear.contains(&program.func_of(inst)) {
            return false;
        }
        let mut alive = !self.dead.get(&site).is_some_and(|blocks| blocks.contains(&block));
        for before in program.blocks[block].insts.iter().take_while(|&before| before != inst) {
            match scope(program, program.inst(before)) {
                Some((at, opens)) if at == site => alive = opens,
                Some(_) | None => {}
            }
        }
        alive
    }

    /// Whether an access of `size` bytes is inside a variable that is there, whichever way the pointer came.
    pub fn is_safe(&self, inst: InstId, ptr: Operand, size: u64, writes: bool) -> bool {
        let mut seen: FxHashSet<(Operand, i64, InstId)> = FxHashSet::default();
        let mut waiting = vec![(ptr, 0i64, inst)];
        while let Some((operand, offset, at)) = waiting.pop() {
            if seen.len() >= MOST_WAYS {
                return false;
            }
            if !seen.insert((operand, offset, at)) {
                continue;
            }
            match self.base(operand) {
                Base::Bytes { size: bytes, constant } => {
                    if writes && constant || !fits(Some(offset), size, bytes) {
                        return false;
                    }
                }
                Base::Variable { site, size: bytes } => {
                    if !fits(Some(offset), size, bytes) || !self.is_alive(site, at) {
                        return false;
                    }
                }
                Base::Step(base, more) => match offset.checked_add(more) {
                    Some(sum) => waiting.push((base, sum, at)),
                    None => return false,
                },
                Base::OneOf(operands) => {
                    waiting.extend(operands.into_iter().map(|operand| (operand, offset, at)));
                }
                Base::Given(args) => {
                    waiting.extend(args.into_iter().map(|(arg, call)| (arg, offset, call)));
                }
                Base::Unclear => return false,
            }
        }
        true
    }

    /// What a pointer is made of.
    fn base(&self, operand: Operand) -> Base {
        let program = self.program;
        let value = match operand {
            Operand::Const(constant) => {
                return match *program.consts.get(constant) {
                    Const::Global { global, offset } => {
                        let data = &program.globals[global];
                        // The part behind the offset, as an object of its own.
                        let rest =
                            u64::try_from(offset).ok().and_then(|o| data.size.checked_sub(o));
                        match rest.filter(|_| data.init.is_some()) {
                            Some(size) => Base::Bytes { size, constant: data.constant },
                            None => Base::Unclear,
                        }
                    }
                    _ => Base::Unclear,
                };
            }
            Operand::Value(value) => value,
        };
        let def = match program.values[value].def {
            Def::Inst(def) => def,
            Def::Param { func, index } => return self.given(func, index),
        };
        match *program.inst(def) {
            Inst::Gep { base, offset, terms, .. } if terms.is_empty() => Base::Step(base, offset),
            Inst::Alloca { elem, count: Operand::Const(count), .. } => {
                let Const::Int(count) = *program.consts.get(count) else { return Base::Unclear };
                let count = u64::try_from(count).unwrap_or(0);
                let size = program.types.size(elem).saturating_mul(count);
                Base::Variable { site: def, size }
            }
            Inst::Phi { incoming } => {
                let incoming = program.phi_pool.get(incoming);
                Base::OneOf(incoming.iter().map(|&(_, operand)| operand).collect())
            }
            Inst::Select { then, els, .. } => Base::OneOf(vec![then, els]),
            _ => Base::Unclear,
        }
    }

    /// What all calls give for a parameter. A variable that is alive at a call is so until it returns.
    fn given(&self, func: FuncId, index: u32) -> Base {
        let program = self.program;
        if self.answer.called_by_unknown.contains(&func) {
            return Base::Unclear;
        }
        let mut given = Vec::new();
        for &call in &self.callers[func] {
            let Inst::Call { callee: Callee::Direct(callee), args } = *program.inst(call) else {
                return Base::Unclear;
            };
            match program.operands(args).get(index as usize) {
                Some(&arg) if callee == func => given.push((arg, call)),
                Some(_) | None => return Base::Unclear,
            }
        }
        if given.is_empty() { Base::Unclear } else { Base::Given(given) }
    }

    /// The memory accesses of an instruction: where, how many bytes, and whether it writes. `None` for
    /// a number of bytes that is not known.
    pub fn accesses(&self, inst: InstId) -> Vec<(Operand, Option<u64>, bool)> {
        let program = self.program;
        let size = |operand: Operand| Some(program.types.store_size(program.operand_type(operand)));
        let number = |operand: Operand| match operand.constant().map(|c| program.consts.get(c)) {
            Some(Const::Int(bytes)) => u64::try_from(*bytes).ok(),
            _ => None,
        };
        match *program.inst(inst) {
            Inst::Load { ptr, .. } => {
                let result = program.insts[inst].result.expand();
                let bytes = result.map(|v| program.types.store_size(program.values[v].ty));
                vec![(ptr, bytes, false)]
            }
            Inst::Store { ptr, value, .. } => vec![(ptr, size(value), true)],
            Inst::AtomicRmw { ptr, value, .. } => vec![(ptr, size(value), true)],
            Inst::CmpXchg { ptr, new, .. } => vec![(ptr, size(new), true)],
            Inst::MemCopy { dst, src, len, .. } => {
                vec![(dst, number(len), true), (src, number(len), false)]
            }
            Inst::MemSet { dst, len, .. } => vec![(dst, number(len), true)],
            Inst::VaStart { list } | Inst::VaArg { list } => vec![(list, None, true)],
            Inst::VaCopy { dst, src } => vec![(dst, None, true), (src, None, false)],
            Inst::Call { args, .. } => {
                program.operands(args).iter().map(|&arg| (arg, None, true)).collect()
            }
            Inst::Binary { .. }
            | Inst::Overflow { .. }
            | Inst::IntCmp { .. }
            | Inst::FloatCmp { .. }
            | Inst::Cast { .. }
            | Inst::Pure { .. }
            | Inst::Select { .. }
            | Inst::Freeze { .. }
            | Inst::Phi { .. }
            | Inst::Extract { .. }
            | Inst::Insert { .. }
            | Inst::ExtractElement { .. }
            | Inst::InsertElement { .. }
            | Inst::Shuffle { .. }
            | Inst::Uninit
            | Inst::Alloca { .. }
            | Inst::Gep { .. }
            | Inst::Fence
            | Inst::LifetimeStart { .. }
            | Inst::LifetimeEnd { .. }
            | Inst::StackSave
            | Inst::StackRestore { .. }
            | Inst::VaEnd { .. }
            | Inst::Check { .. }
            | Inst::Assume { .. }
            | Inst::Unsupported { .. }
            | Inst::Jump { .. }
            | Inst::Branch { .. }
            | Inst::Switch { .. }
            | Inst::IndirectJump { .. }
            | Inst::Return { .. }
            | Inst::Unreachable => Vec::new(),
        }
    }

    /// Whether all accesses are inside variables that are there.
    pub fn is_sure(&self, inst: InstId) -> bool {
        self.accesses(inst).into_iter().all(|(ptr, size, writes)| {
            size.is_some_and(|size| self.is_safe(inst, ptr, size, writes))
        })
    }

    /// Whether the execution may not get past `inst`, apart from what the bodies it calls do.
    pub fn may_end(&self, inst: InstId) -> bool {
        let program = self.program;
        match *program.inst(inst) {
            Inst::Load { .. }
            | Inst::Store { .. }
            | Inst::AtomicRmw { .. }
            | Inst::CmpXchg { .. }
            | Inst::MemCopy { .. }
            | Inst::MemSet { .. } => !self.is_sure(inst),
            Inst::Binary { op, rhs, .. } => match op {
                BinaryOp::UDiv | BinaryOp::SDiv | BinaryOp::URem | BinaryOp::SRem => {
                    let divisor = rhs.constant().map(|c| program.consts.get(c));
                    !matches!(divisor, Some(Const::Int(number)) if *number != 0)
                }
                BinaryOp::Add
                | BinaryOp::Sub
                | BinaryOp::Mul
                | BinaryOp::Shl
                | BinaryOp::LShr
                | BinaryOp::AShr
                | BinaryOp::And
                | BinaryOp::Or
                | BinaryOp::Xor
                | BinaryOp::FAdd
                | BinaryOp::FSub
                | BinaryOp::FMul
                | BinaryOp::FDiv
                | BinaryOp::FRem => false,
            },
            Inst::Check { kind, .. } => match kind {
                CheckKind::DivByZero
                | CheckKind::VlaBound
                | CheckKind::Unreachable
                | CheckKind::Trap => true,
                CheckKind::SignedOverflow
                | CheckKind::Shift
                | CheckKind::ArrayBounds
                | CheckKind::FloatCast
                | CheckKind::Builtin
                | CheckKind::Other(_) => false,
            },
            Inst::Call { callee: Callee::Direct(func), args } => {
                let function = &program.funcs[func];
                match function.blocks.is_empty() {
                    true => {
                        // What a pointer points to is read, and must be there.
                        let plain = |&arg: &Operand| {
                            let constant = arg.constant().map(|c| program.consts.get(c));
                            !program.is_pointer(arg)
                                || matches!(constant, Some(Const::Global { .. }))
                        };
                        let known = HARMLESS.contains(&function.name.as_str())
                            || function.name.starts_with("__VERIFIER_nondet_");
                        !known || !program.operands(args).iter().all(plain)
                    }
                    false => program.operands(args).len() < function.params.len(),
                }
            }
            Inst::Call { callee: Callee::Indirect(_), .. }
            | Inst::Assume { .. }
            | Inst::Unsupported { .. }
            | Inst::VaStart { .. }
            | Inst::VaArg { .. }
            | Inst::VaCopy { .. }
            | Inst::IndirectJump { .. }
            | Inst::Unreachable => true,
            Inst::Overflow { .. }
            | Inst::IntCmp { .. }
            | Inst::FloatCmp { .. }
            | Inst::Cast { .. }
            | Inst::Pure { .. }
            | Inst::Select { .. }
            | Inst::Freeze { .. }
            | Inst::Phi { .. }
            | Inst::Extract { .. }
            | Inst::Insert { .. }
            | Inst::ExtractElement { .. }
            | Inst::InsertElement { .. }
            | Inst::Shuffle { .. }
            | Inst::Uninit
            | Inst::Alloca { .. }
            | Inst::Gep { .. }
            | Inst::Fence
            | Inst::LifetimeStart { .. }
            | Inst::LifetimeEnd { .. }
            | Inst::StackSave
            | Inst::StackRestore { .. }
            | Inst::VaEnd { .. }
            | Inst::Jump { .. }
            | Inst::Branch { .. }
            | Inst::Switch { .. }
            | Inst::Return { .. } => false,
        }
    }

    /// Whether a call may run code that is not in the program.
    pub fn runs_outside(&self, call: InstId) -> bool {
        let callees = self.answer.callees(call);
        let bare = |&func: &FuncId| self.program.funcs[func].blocks.is_empty();
        callees.unknown || callees.funcs.iter().any(bare)
    }
}

fn fits(offset: Option<i64>, size: u64, bytes: u64) -> bool {
    let end = offset.and_then(|at| u64::try_from(at).ok()).and_then(|at| at.checked_add(size));
    end.is_some_and(|end| end <= bytes)
}
