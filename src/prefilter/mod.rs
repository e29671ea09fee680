//! Settling obligations without executing anything: what follows from the definitions of values, from the
//! branches and accesses that lead to a place, from what a pointer is made of, and from what all callers know.
//!
//! - [`whole`], [`ends`]: who points where, versions of memory, what is freed, which calls do not come back.
//!   [`numbers`]: which values are equal.
//! - [`facts`], [`body`], [`steps`], [`judge`]: what holds at each place of a function; [`known`], [`program`]: and at its
//!   borders; [`memory`], [`spread`], [`initial`]: what memory holds.
//! - [`guards`], [`range`], [`ranges`]: numbers; [`objects`], [`offsets`], [`lives`]: variables, their sizes and scopes, and where
//!   pointers lie in their objects.
//!
//! Invariant: a proof here is a proof. Arithmetic wraps as the model's does. An execution ends at a memory violation, so an
//! access behind another one of the same pointer has no fault that the first one has not. An obligation that
//! an execution can only violate after it violated another one of the same rule is settled by that one: then the
//! first violation of the rule in an execution is always one that is open. No other rule rests on it, since
//! an execution goes on behind an index that left its array or a sum that wrapped.
//! What is not settled goes on to the engine.

mod body;
mod ends;
mod facts;
mod guards;
mod initial;
mod judge;
mod known;
mod lives;
mod memory;
mod numbers;
mod objects;
mod offsets;
mod parts;
mod program;
mod range;
mod ranges;
mod spread;
mod steps;
mod useful;
mod whole;

use crate::ir::{Def, FuncId, Inst, InstId, Operand, Program};
use crate::pta::PointsTo;
use crate::rules::{Demand, Extent, Fault, FreeFault, Obligation};
use body::{Body, Summaries};
use facts::{Fact, Set};
use known::{Known, Summary};
use numbers::Made;
use range::Range;
use rustc_hash::FxHashMap;
use whole::Whole;

/// What is demanded at an instruction.
type Asked = FxHashMap<InstId, Vec<Obligation>>;

/// What may be taken for granted.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// Executions start at `main`, and nowhere else.
    pub from_main: bool,
    pub malloc_may_fail: bool,
}

/// What is settled and what is not.
#[derive(Debug, Default)]
pub struct Split {
    pub settled: Vec<Obligation>,
    pub open: Vec<Obligation>,
    /// Who points where, if that was asked on the way.
    pub points_to: Option<PointsTo>,
}

/// Splits obligations into those that are settled and the rest.
pub fn split(program: &Program, obligations: Vec<Obligation>, options: Options) -> Split {
    if obligations.is_empty() {
        return Split::default();
    }
    let whole = if options.from_main { Whole::new(program) } else { None };
    let mut asked = Asked::default();
    for obligation in &obligations {
        asked.entry(obligation.at).or_default().push(*obligation);
    }
    let may_fail = options.malloc_may_fail;
    let (mut bodies, summaries) = match &whole {
        Some(whole) => program::solve(program, whole, &asked, may_fail),
        None => (FxHashMap::default(), Summaries::default()),
    };
    let mut settled: FxHashMap<InstId, Vec<bool>> = FxHashMap::default();
    let mut funcs: Vec<FuncId> = obligations.iter().map(|o| program.func_of(o.at)).collect();
    funcs.dedup();
    for func in funcs {
        // What is never called is never violated.
        if whole.as_ref().is_some_and(|whole| !whole.runs.contains(&func)) {
            continue;
        }
        let body = bodies.entry(func).or_insert_with(|| {
            let mut body = Body::new(program, None, func, &asked, may_fail);
            body.solve(&summaries, None);
            body
        });
        Settler { body }.settle(&asked, &summaries, &mut settled);
    }
    let (settled, open) = obligations.into_iter().partition(|obligation| {
        let func = program.func_of(obligation.at);
        if whole.as_ref().is_some_and(|whole| !whole.runs.contains(&func)) {
            return true;
        }
        let all = asked.get(&obligation.at).map_or(&[][..], Vec::as_slice);
        let index = all.iter().position(|other| other == obligation);
        let answers = settled.get(&obligation.at);
        index.zip(answers).is_some_and(|(index, answers)| answers.get(index) == Some(&true))
    });
    drop(bodies);
    Split { settled, open, points_to: whole.map(|whole| whole.points_to) }
}

/// What callers promise of a function's parameters.
#[derive(Debug, Clone)]
pub struct Promised {
    pub func: FuncId,
    /// So many bytes of a live object that each points to; nothing if it may point nowhere.
    pub params: Vec<Option<u64>>,
}

/// The same for functions that nobody in the program calls, with what their callers promise: parameters are set.
pub fn split_given(
    program: &Program,
    obligations: Vec<Obligation>,
    options: Options,
    promised: &[Promised],
) -> (Vec<Obligation>, Vec<Obligation>) {
    let mut asked = Asked::default();
    for obligation in &obligations {
        asked.entry(obligation.at).or_default().push(*obligation);
    }
    let mut settled: FxHashMap<InstId, Vec<bool>> = FxHashMap::default();
    for Promised { func, params } in promised {
        let known = |bytes: &Option<u64>| Known {
            object: bytes.is_some(),
            bytes: (0, bytes.and_then(|bytes| i64::try_from(bytes).ok()).unwrap_or(0)),
            live: bytes.is_some(),
            set: true,
            ..Known::NOTHING
        };
        let entry = params.iter().map(known).collect();
        let summary = Summary { entry, exit: Vec::new(), result: Known::NOTHING };
        let summaries: Summaries = [(*func, summary)].into_iter().collect();
        let mut body = Body::new(program, None, *func, &asked, options.malloc_may_fail);
        body.solve(&summaries, None);
        Settler { body: &mut body }.settle(&asked, &summaries, &mut settled);
    }
    obligations.into_iter().partition(|obligation| {
        let all = asked.get(&obligation.at).map_or(&[][..], Vec::as_slice);
        let index = all.iter().position(|other| other == obligation);
        let answers = settled.get(&obligation.at);
        index.zip(answers).is_some_and(|(index, answers)| answers.get(index) == Some(&true))
    })
}

/// Answers what is asked in one function.
struct Settler<'b, 'a> {
    body: &'b mut Body<'a>,
}

impl Settler<'_, '_> {
    fn settle(
        &mut self,
        asked: &Asked,
        summaries: &Summaries,
        settled: &mut FxHashMap<InstId, Vec<bool>>,
    ) {
        let program = self.body.program;
        for block in program.funcs[self.body.func].blocks.iter() {
            let entered = self.body.entered(block).cloned();
            let mut set = entered.clone().unwrap_or_default();
            let mut is_reached = entered.is_some();
            for inst in program.blocks[block].insts.iter() {
                if let Some(all) = asked.get(&inst) {
                    let answer = |o: &Obligation| !is_reached || self.holds(o, &set);
                    let answers: Vec<bool> = all.iter().map(answer).collect();
                    settled.insert(inst, answers);
                }
                is_reached &= !self.body.is_end(inst);
                self.body.step(inst, &mut set, summaries);
            }
        }
    }

    fn holds(&mut self, obligation: &Obligation, set: &Set) -> bool {
        let program = self.body.program;
        let (at, block) = (obligation.at, program.insts[obligation.at].block);
        match obligation.demand {
            Demand::NonZero(operand) => {
                let number = self.body.number(operand);
                let told = [Fact::Holds(number, true), Fact::Passed(number, obligation.rule)];
                let mut known = told.iter().filter_map(|&fact| self.body.universe.find(fact));
                let ranges = || self.body.ranges().for_rule(obligation.rule, at);
                known.any(|id| set.has(id)) || ranges().truth(operand, block) == Some(true)
            }
            Demand::Arguable(operand) => self.body.ranges().truth(operand, block) == Some(true),
            Demand::Equal(a, b) => a == b && a.value().is_some(),
            Demand::Access { extent: Extent::Hidden, .. } => false,
            Demand::Access { pointer, extent, fault } => {
                let number = self.body.number(pointer);
                match fault {
                    Fault::Null => self.body.is_object(number, set),
                    Fault::Dead => self.body.is_alive(number, at, set),
                    Fault::Outside => self.is_inside(pointer, extent, obligation, set),
                    Fault::Unset => self.body.is_constant(number) || self.body.is_text(number, set),
                }
            }
            Demand::Set(operand) => {
                let number = self.body.number(operand);
                self.body.is_set(number, set, judge::DEEPEST)
            }
            Demand::Fits { value, bits } => self.body.ranges().of(value, block).fits(bits),
            Demand::Wraps { op, lhs, rhs } => {
                self.body.ranges().never_overflows(op, lhs, rhs, block)
            }
            Demand::Free { pointer, fault } => {
                let number = self.body.number(pointer);
                match fault {
                    FreeFault::Twice => self.body.is_alive(number, at, set),
                    FreeFault::Foreign => self.body.is_start(number, set),
                }
            }
            Demand::NotReached | Demand::Kept => false,
        }
    }

    fn is_inside(
        &mut self,
        pointer: Operand,
        extent: Extent,
        asked: &Obligation,
        set: &Set,
    ) -> bool {
        let block = self.body.program.insts[asked.at].block;
        let number = self.body.number(pointer);
        let length = match extent {
            Extent::Bytes(bytes) => i128::from(bytes),
            Extent::Times(count, unit) => {
                let ranges = self.body.ranges().for_rule(asked.rule, asked.at);
                let count = ranges.of(count, block).not_negative();
                match count.and_then(|c| c.hi.checked_mul(i128::from(unit))) {
                    Some(most) => most,
                    None => return false,
                }
            }
            Extent::Open { most: Some(most), .. } => i128::from(most),
            Extent::Text { unit, .. } => return unit == 1 && self.body.is_text(number, set),
            Extent::Open { most: None, .. } | Extent::Hidden => return false,
        };
        let covers = |(lo, hi): (i64, i64), offset: Range| {
            lo < hi && i128::from(lo) <= offset.lo && offset.hi + length <= i128::from(hi)
        };
        if covers(self.body.bytes(number, block, set), Range::exactly(0)) {
            return true;
        }
        // An index, of which the range is known, from a pointer of which the surroundings are.
        let (root, offset) = self.body.numbers.place(number);
        let Made::Indexed(base, terms) = &self.body.numbers.made[root] else { return false };
        let mut sum = Range::exactly(i128::from(offset));
        for &(index, stride) in terms {
            let Some(index) = self.body.numbers.operand(index) else { return false };
            let index = self.body.ranges().for_rule(asked.rule, asked.at).of(index, block);
            let moved = index.times(Range::exactly(i128::from(stride as i64)));
            match moved.and_then(|moved| sum.plus(moved)) {
                Some(more) => sum = more,
                None => return false,
            }
        }
        covers(self.body.bytes(*base, block, set), sum)
    }
}

/// The instruction that defines a value.
fn definition(program: &Program, operand: Operand) -> Option<(InstId, Inst)> {
    match program.values[operand.value()?].def {
        Def::Inst(inst) => Some((inst, program.insts[inst].inst)),
        Def::Param { .. } => None,
    }
}
