//! What a program looks like, as far as that says which way of deciding gets its time first: a loop that turns a few
//! times is followed to its end in no time, one that turns as often as an input says never is.
//!
//! Invariant: the order and the shares of time follow from this, and nothing else does.

use super::loops::{Body, Loops};
use crate::ir::{
    BinaryOp, Callee, Const, Def, FuncId, Function, Inst, IntPredicate, Operand, Program, Type,
    ValueId,
};
use crate::library;
use crate::pta::tarjan;

/// A loop that turns more often is worth a proof before its turns are followed. Such loops nest, so it is not many.
const FEW_TURNS: u128 = 32;

/// What they return says nothing that the program does not know, or is hardly ever looked at.
const TELL_NOTHING: &[&str] =
    &["malloc", "calloc", "realloc", "alloca", "printf", "fprintf", "puts", "putchar"];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Features {
    /// There may be more than one execution.
    pub has_inputs: bool,
    /// Some loop turns often, or nobody sees how often.
    pub has_open_loops: bool,
    /// A function calls itself, perhaps through others.
    pub is_recursive: bool,
}

impl Features {
    /// Of all that can be executed; what models of library functions do inside does not count, since their loops
    /// mostly end where a text of the program does.
    pub fn of(program: &Program) -> Features {
        let has_body = |func: &FuncId| !program.funcs[*func].blocks.is_empty();
        let own = |func: &FuncId| has_body(func) && !library::is_model(program, *func);
        let mut funcs = program.funcs.keys().filter(own);
        Features {
            has_inputs: has_inputs(program),
            has_open_loops: funcs.any(|func| has_open_loop(program, func)),
            is_recursive: is_recursive(program),
        }
    }

    /// Whether paths may be without number, or without end: then a proof is sooner found than the last of them.
    pub fn favour_proofs(self) -> bool {
        self.has_inputs && (self.has_open_loops || self.is_recursive)
    }
}

/// Whether functions without a body say something, or the program is given arguments.
fn has_inputs(program: &Program) -> bool {
    let tells = |func: &Function| {
        func.blocks.is_empty()
            && program.types.get(func.result) != &Type::Void
            && !TELL_NOTHING.contains(&func.name.as_str())
            || func.name == "main" && !func.params.is_empty()
    };
    let is_read = |inst: &Inst| matches!(inst, Inst::Load { access, .. } if access.volatile);
    program.funcs.values().any(tells) || program.insts.values().any(|data| is_read(&data.inst))
}

fn has_open_loop(program: &Program, func: FuncId) -> bool {
    let loops = Loops::new(program, func);
    let heads = program.funcs[func].blocks.iter().filter_map(|head| loops.body(head));
    let mut heads = heads.map(|body| turns(program, body));
    heads.any(|turns| turns.is_none_or(|turns| turns > FEW_TURNS))
}

fn is_recursive(program: &Program) -> bool {
    let callees: Vec<Vec<u32>> = program
        .funcs
        .values()
        .map(|func| {
            let insts = func.blocks.iter().flat_map(|block| program.blocks[block].insts.iter());
            let callee = |inst| match program.insts[inst].inst {
                Inst::Call { callee: Callee::Direct(callee), .. } => Some(callee.as_u32()),
                _ => None,
            };
            insts.filter_map(callee).collect()
        })
        .collect();
    let next = |func: u32, index: usize| callees[func as usize].get(index).copied();
    let mut found = false;
    tarjan::components(callees.len(), next, |members| {
        found |= members.len() > 1 || callees[members[0] as usize].contains(&members[0]);
    });
    found
}

/// How often a loop turns at most, if a counter with constant bounds says so where it begins.
fn turns(program: &Program, body: &Body) -> Option<u128> {
    let &Inst::Branch { cond: Operand::Value(cond), then, els, .. } =
        program.inst(program.terminator(body.head)?)
    else {
        return None;
    };
    if body.contains(then) == body.contains(els) {
        return None;
    }
    let Def::Inst(test) = program.values[cond].def else { return None };
    let Inst::IntCmp { pred, lhs: Operand::Value(counter), rhs } = *program.inst(test) else {
        return None;
    };
    let (from, step) = counted(program, body, counter)?;
    let bits = int_bits(program, counter)?;
    let to = signed(constant(program, rhs)?, bits);
    // An equality may be stepped over, and then it is not the counter that ends the loop.
    let is_upward = match pred {
        IntPredicate::SLt | IntPredicate::SLe | IntPredicate::ULt | IntPredicate::ULe => step > 0,
        IntPredicate::SGt | IntPredicate::SGe | IntPredicate::UGt | IntPredicate::UGe => step < 0,
        IntPredicate::Ne => step.unsigned_abs() == 1,
        IntPredicate::Eq => false,
    };
    is_upward.then(|| to.abs_diff(from) / step.unsigned_abs() + 1)
}

/// Where a counter begins, and by how much each turn moves it.
fn counted(program: &Program, body: &Body, counter: ValueId) -> Option<(i128, i128)> {
    let Def::Inst(phi) = program.values[counter].def else { return None };
    let Inst::Phi { incoming } = *program.inst(phi) else { return None };
    if program.insts[phi].block != body.head {
        return None;
    }
    let bits = int_bits(program, counter)?;
    let (mut from, mut step) = (None, None);
    for &(block, operand) in program.phi_pool.get(incoming) {
        let (known, value) = match body.contains(block) {
            true => (&mut step, step_from(program, counter, operand)?),
            false => (&mut from, constant(program, operand)?),
        };
        let value = signed(value, bits);
        if known.is_some_and(|known| known != value) {
            return None;
        }
        *known = Some(value);
    }
    Some((from?, step?)).filter(|&(_, step)| step != 0)
}

/// What is added to the counter.
fn step_from(program: &Program, counter: ValueId, next: Operand) -> Option<u128> {
    let Operand::Value(next) = next else { return None };
    let Def::Inst(inst) = program.values[next].def else { return None };
    let Inst::Binary { op, lhs, rhs } = *program.inst(inst) else { return None };
    let counter = Operand::Value(counter);
    match op {
        BinaryOp::Add if lhs == counter => constant(program, rhs),
        BinaryOp::Add if rhs == counter => constant(program, lhs),
        BinaryOp::Sub if lhs == counter => constant(program, rhs).map(u128::wrapping_neg),
        _ => None,
    }
}

fn constant(program: &Program, operand: Operand) -> Option<u128> {
    match *program.consts.get(operand.constant()?) {
        Const::Int(value) => Some(value),
        _ => None,
    }
}

fn int_bits(program: &Program, value: ValueId) -> Option<u32> {
    match *program.types.get(program.values[value].ty) {
        Type::Int(bits) => (1..=64).contains(&bits).then_some(bits),
        _ => None,
    }
}

/// As counters mostly mean it.
fn signed(value: u128, bits: u32) -> i128 {
    let unused = 128 - bits;
    (value << unused) as i128 >> unused
}
