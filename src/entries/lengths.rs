//! Which parameter says how many elements a pointer parameter points to, where the code shows it: it compares an index
//! with it, moves so many bytes, counts it down while the pointer goes up, or computes the end with it.
//!
//! What the code does not show is not guessed, and what it shows in two ways is not decided.

use crate::ir::{
    BinaryOp, Callee, CastOp, Const, Def, FuncId, Inst, InstId, Operand, Program, ValueId,
};
use rustc_hash::FxHashMap;

/// The parameter that counts, and the bytes that one element has.
pub(super) type Length = (u32, u64);

/// Library functions that touch so many bytes: the pointers and the length among the arguments.
const RANGES: &[(&str, &[usize], usize)] = &[
    ("memcpy", &[0, 1], 2),
    ("memmove", &[0, 1], 2),
    ("memcmp", &[0, 1], 2),
    ("memset", &[0], 2),
    ("memchr", &[0], 2),
    ("read", &[1], 2),
    ("write", &[1], 2),
    ("recv", &[1], 2),
    ("send", &[1], 2),
];

/// Calls are looked into so deep.
const DEEPEST: u32 = 2;

/// For each parameter the length that the code shows.
pub(super) fn lengths(program: &Program, func: FuncId) -> Vec<Option<Length>> {
    let shown = shown(program, func, 0);
    let params = program.funcs[func].params.len();
    (0..params)
        .map(|index| {
            let mut all: Vec<Length> =
                shown.iter().filter(|(p, _)| *p == index).map(|(_, length)| *length).collect();
            all.sort_unstable();
            all.dedup();
            match all[..] {
                [only] => Some(only),
                _ => None,
            }
        })
        .collect()
}

/// Everything in the code that shows a length: the pointer's parameter and what it shows.
fn shown(program: &Program, func: FuncId, depth: u32) -> Vec<(usize, Length)> {
    let code = Code::new(program, func);
    let mut found = Vec::new();
    for block in program.funcs[func].blocks.iter() {
        for inst in program.blocks[block].insts.iter() {
            code.look(inst, depth, &mut found);
        }
    }
    found
}

struct Code<'p> {
    program: &'p Program,
    params: FxHashMap<ValueId, usize>,
    /// The values that are compared with a parameter.
    compared: FxHashMap<ValueId, Vec<u32>>,
    /// The values of which it is asked whether they are zero.
    asked: Vec<ValueId>,
}

impl<'p> Code<'p> {
    fn new(program: &'p Program, func: FuncId) -> Self {
        let params = program.funcs[func].params.iter().enumerate();
        let params = params.map(|(index, value)| (value, index)).collect();
        let mut code = Code { program, params, compared: FxHashMap::default(), asked: Vec::new() };
        for block in program.funcs[func].blocks.iter() {
            for inst in program.blocks[block].insts.iter() {
                let Inst::IntCmp { lhs, rhs, .. } = program.insts[inst].inst else { continue };
                for (one, other) in [(lhs, rhs), (rhs, lhs)] {
                    let Some(value) = code.plain(one) else { continue };
                    if let Some(param) = code.param(other) {
                        code.compared.entry(value).or_default().push(param as u32);
                    }
                    if code.is_zero(other) {
                        code.asked.push(value);
                    }
                }
            }
        }
        code
    }

    /// The value without the casts around it.
    fn plain(&self, operand: Operand) -> Option<ValueId> {
        let mut value = operand.value()?;
        loop {
            let Def::Inst(made) = self.program.values[value].def else { return Some(value) };
            let inner = match self.program.insts[made].inst {
                Inst::Cast { op: CastOp::ZExt | CastOp::SExt | CastOp::Trunc, value } => value,
                Inst::Freeze { value } => value,
                Inst::Gep { base, offset: 0, terms, .. }
                    if self.program.term_pool.get(terms).is_empty() =>
                {
                    base
                }
                _ => return Some(value),
            };
            value = inner.value()?;
        }
    }

    fn param(&self, operand: Operand) -> Option<usize> {
        self.params.get(&self.plain(operand)?).copied()
    }

    fn number(&self, operand: Operand) -> Option<u64> {
        match self.program.consts.get(operand.constant()?) {
            Const::Int(value) => u64::try_from(*value).ok(),
            _ => None,
        }
    }

    fn is_zero(&self, operand: Operand) -> bool {
        self.number(operand) == Some(0)
    }

    /// A parameter, perhaps times a constant: how many bytes that are.
    fn bytes(&self, operand: Operand) -> Option<Length> {
        if let Some(param) = self.param(operand) {
            return Some((param as u32, 1));
        }
        let Def::Inst(made) = self.program.values[self.plain(operand)?].def else { return None };
        let Inst::Binary { op, lhs, rhs } = self.program.insts[made].inst else { return None };
        let (param, factor) = match (self.param(lhs), self.param(rhs)) {
            (Some(param), None) => (param, self.number(rhs)?),
            (None, Some(param)) if op == BinaryOp::Mul => (param, self.number(lhs)?),
            _ => return None,
        };
        let unit = match op {
            BinaryOp::Mul => factor,
            BinaryOp::Shl => 1u64.checked_shl(u32::try_from(factor).ok()?)?,
            _ => return None,
        };
        Some((param as u32, unit))
    }

    fn look(&self, inst: InstId, depth: u32, found: &mut Vec<(usize, Length)>) {
        let program = self.program;
        let data = &program.insts[inst];
        let mut range = |pointer: Operand, length: Operand| {
            if let (Some(pointer), Some(bytes)) = (self.param(pointer), self.bytes(length)) {
                found.push((pointer, bytes));
            }
        };
        match data.inst {
            Inst::MemCopy { dst, src, len, .. } => {
                range(dst, len);
                range(src, len);
            }
            Inst::MemSet { dst, len, .. } => range(dst, len),
            Inst::Call { callee: Callee::Direct(callee), args } => {
                let args = program.operands(args);
                let function = &program.funcs[callee];
                if let Some((_, pointers, length)) =
                    RANGES.iter().find(|(name, ..)| *name == function.name)
                {
                    for pointer in *pointers {
                        if let (Some(&p), Some(&n)) = (args.get(*pointer), args.get(*length)) {
                            range(p, n);
                        }
                    }
                } else if depth < DEEPEST && args.iter().any(|&arg| self.param(arg).is_some()) {
                    self.look_into(callee, args, depth, found);
                }
            }
            Inst::Gep { base, offset: 0, terms, .. } => {
                let [term] = program.term_pool.get(terms) else { return };
                if let Some(pointer) = self.param(base) {
                    self.indexed(inst, pointer, term.index, term.stride, found);
                }
            }
            Inst::Phi { .. } => self.counted_down(inst, found),
            _ => {}
        }
    }

    /// What a function of the program that is called with parameters of this one shows.
    fn look_into(
        &self,
        callee: FuncId,
        args: &[Operand],
        depth: u32,
        found: &mut Vec<(usize, Length)>,
    ) {
        for (pointer, (length, unit)) in shown(self.program, callee, depth + 1) {
            let own = |index: usize| args.get(index).and_then(|&arg| self.param(arg));
            if let (Some(pointer), Some(length)) = (own(pointer), own(length as usize)) {
                found.push((pointer, (length as u32, unit)));
            }
        }
    }

    /// `p[i]` where `i` is compared with a parameter, and `p + n` if it is compared with something.
    fn indexed(
        &self,
        inst: InstId,
        pointer: usize,
        index: Operand,
        stride: u64,
        found: &mut Vec<(usize, Length)>,
    ) {
        let Some(index) = self.plain(index) else { return };
        for &param in self.compared.get(&index).into_iter().flatten() {
            found.push((pointer, (param, stride)));
        }
        let result = self.program.insts[inst].result.expand();
        if let (Some(&param), Some(end)) = (self.params.get(&index), result)
            && self.is_compared(end)
        {
            found.push((pointer, (param as u32, stride)));
        }
    }

    /// Whether a pointer is an operand of a comparison.
    fn is_compared(&self, value: ValueId) -> bool {
        let func = self.program.func_of_value(value);
        let blocks = self.program.funcs[func].blocks.iter();
        let mut insts = blocks.flat_map(|block| self.program.blocks[block].insts.iter());
        insts.any(|inst| match self.program.insts[inst].inst {
            Inst::IntCmp { lhs, rhs, .. } => [lhs, rhs].contains(&Operand::Value(value)),
            _ => false,
        })
    }

    /// `while (n--) *p++`: at the head of a loop, a pointer goes up from a parameter and a number down.
    fn counted_down(&self, inst: InstId, found: &mut Vec<(usize, Length)>) {
        let program = self.program;
        let block = program.insts[inst].block;
        let heads: Vec<(ValueId, usize, Inst)> =
            program.blocks[block].insts.iter().filter_map(|phi| self.steps_from(phi)).collect();
        let Some((_, pointer, Inst::Gep { offset, terms, .. })) = self.steps_from(inst) else {
            return;
        };
        if !program.term_pool.get(terms).is_empty() {
            return;
        }
        let Ok(stride) = u64::try_from(offset) else { return };
        for (counter, length, step) in heads {
            let Inst::Binary { op: BinaryOp::Add, rhs, lhs } = step else { continue };
            let width = program.types.scalar_bits(program.operand_type(rhs), 64).unwrap_or(64);
            let minus_one = if width >= 64 { u64::MAX } else { (1 << width) - 1 };
            let is_down = self.number(rhs) == Some(minus_one) && lhs == Operand::Value(counter);
            if is_down && self.is_asked(counter) && stride > 0 {
                found.push((pointer, (length as u32, stride)));
            }
        }
    }

    fn is_asked(&self, counter: ValueId) -> bool {
        self.asked.contains(&counter)
    }

    /// A phi that begins with a parameter and goes on with one step of itself.
    fn steps_from(&self, phi: InstId) -> Option<(ValueId, usize, Inst)> {
        let Inst::Phi { incoming } = self.program.insts[phi].inst else { return None };
        let own = self.program.insts[phi].result.expand()?;
        let [(_, a), (_, b)] = *self.program.phi_pool.get(incoming) else { return None };
        for (start, next) in [(a, b), (b, a)] {
            let Some(param) = self.param(start) else { continue };
            let Def::Inst(made) = self.program.values[next.value()?].def else { continue };
            let step = self.program.insts[made].inst;
            let from = match step {
                Inst::Gep { base, .. } => base,
                Inst::Binary { lhs, .. } => lhs,
                _ => continue,
            };
            if from == Operand::Value(own) {
                return Some((own, param, step));
            }
        }
        None
    }
}
