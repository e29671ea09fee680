//! Settling obligations without executing anything: what follows from the definitions of values, from the
//! branches and accesses that lead to a place, from what a pointer is made of, and from what all callers know.
//!
//! - [`whole`]: who points where, versions of memory, what is freed; [`ends`]: which calls never come back;
//!   [`born`], [`walk`]: what is written before it is read. [`numbers`], [`epochs`]: which values are equal.
//! - [`facts`], [`body`], [`calls`], [`judge`]: what holds at each place of a function; [`known`], [`program`]: and at its borders;
//!   [`memory`]: what memory holds.
//! - [`guards`], [`ranges`], [`intervals`], [`objects`], [`lives`]: numbers, variables and their scopes.
//!
//! Invariant: a proof here is a proof. Arithmetic wraps as the model's does. An execution ends at a memory violation, so an
//! access behind another one of the same pointer has no fault that the first one has not. An obligation that
//! an execution can only violate after it violated another one of the same rule is settled by that one.
//! What is not settled goes on to the engine.

mod body;
mod born;
mod calls;
mod ends;
mod epochs;
mod facts;
mod guards;
mod intervals;
mod judge;
mod known;
mod lives;
mod memory;
mod numbers;
mod objects;
mod program;
mod ranges;
mod useful;
mod walk;
mod whole;

use crate::ir::{Def, FuncId, Inst, InstId, Operand, Program};
use crate::pta::PointsTo;
use crate::rules::{Demand, Extent, Fault, FreeFault, Obligation};
use body::{Body, Summaries};
use facts::{Fact, Set};
use known::{Known, Summary};
use numbers::Made;
use ranges::Range;
use rustc_hash::FxHashMap;
use whole::Whole;

/// Addresses below are null or an offset from it.
const NULL_PAGE: i128 = 4096;

/// What is demanded at an instruction.
type Asked = FxHashMap<InstId, Vec<Obligation>>;

/// What may be taken for granted.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// Executions start at `main`, and nowhere else.
    pub from_main: bool,
    /// Executions start at the functions of which something is promised, and nowhere else.
    pub from_all: bool,
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
    let whole = if options.from_main { Whole::new(program, &[]) } else { None };
    let mut asked = Asked::default();
    for obligation in &obligations {
        asked.entry(obligation.at).or_default().push(*obligation);
    }
    let may_fail = options.malloc_may_fail;
    let (mut bodies, summaries) = match &whole {
        Some(whole) => program::solve(program, whole, &asked, may_fail, &FxHashMap::default()),
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
    /// Nothing of one that is no pointer to an object.
    pub params: Vec<Option<Promise>>,
    /// The program itself calls it, too, or takes its address.
    pub inside: bool,
}

/// So many bytes of a live object that a parameter points to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Promise {
    pub bytes: u64,
    pub or_null: bool,
}

/// What is promised of a parameter; all are set.
fn known(promise: &Option<Promise>) -> Known {
    let set = Known { set: true, ..Known::NOTHING };
    match promise {
        Some(Promise { bytes, or_null }) => Known {
            object: !or_null,
            or_null: true,
            bytes: (0, i64::try_from(*bytes).unwrap_or(0)),
            live: true,
            ..set
        },
        None => set,
    }
}

/// The same for functions that others call, with what these promise. Where these functions are all that executions
/// begin with, what they do is known of the whole program; else only those are looked at that nobody in it calls.
pub fn split_given(
    program: &Program,
    obligations: Vec<Obligation>,
    options: Options,
    promised: &[Promised],
) -> (Vec<Obligation>, Vec<Obligation>) {
    if obligations.is_empty() || promised.is_empty() {
        return (Vec::new(), obligations);
    }
    let mut asked = Asked::default();
    for obligation in &obligations {
        asked.entry(obligation.at).or_default().push(*obligation);
    }
    let may_fail = options.malloc_may_fail;
    let mut settled: FxHashMap<InstId, Vec<bool>> = FxHashMap::default();
    let entries: Vec<FuncId> = promised.iter().map(|promised| promised.func).collect();
    let whole = if options.from_all { Whole::new(program, &entries) } else { None };
    match &whole {
        Some(whole) => {
            let given = promised.iter().map(|p| (p.func, p.params.iter().map(known).collect()));
            let given = given.collect();
            let (bodies, summaries) = program::solve(program, whole, &asked, may_fail, &given);
            for mut body in bodies.into_values() {
                Settler { body: &mut body }.settle(&asked, &summaries, &mut settled);
            }
        }
        None => {
            for Promised { func, params, .. } in promised.iter().filter(|p| !p.inside) {
                let entry = params.iter().map(known).collect();
                let summary = Summary { entry, exit: Vec::new(), result: Known::NOTHING };
                let summaries: Summaries = [(*func, summary)].into_iter().collect();
                let mut body = Body::new(program, None, *func, &asked, may_fail);
                body.solve(&summaries, None);
                Settler { body: &mut body }.settle(&asked, &summaries, &mut settled);
            }
        }
    }
    obligations.into_iter().partition(|obligation| {
        let func = program.func_of(obligation.at);
        // What nobody calls is never violated.
        if whole.as_ref().is_some_and(|whole| !whole.runs.contains(&func)) {
            return true;
        }
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
            for inst in program.blocks[block].insts.iter() {
                if let Some(all) = asked.get(&inst) {
                    let is_dead = entered.is_none() || set.is_dead();
                    let answer = |o: &Obligation| is_dead || self.holds(o, &set);
                    settled.insert(inst, all.iter().map(answer).collect());
                }
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
                let known = self.body.universe.find(Fact::Holds(number, true));
                known.is_some_and(|id| set.has(id))
                    || self.body.ranges().truth(operand, block) == Some(true)
            }
            Demand::Arguable(operand) => self.body.ranges().truth(operand, block) == Some(true),
            Demand::Equal(a, b) => a == b && a.value().is_some(),
            Demand::Access { pointer, extent, fault } => {
                let number = self.body.number(pointer);
                match fault {
                    Fault::Null => self.body.is_object(number, set),
                    Fault::Dead => self.body.is_alive(number, at, set),
                    Fault::Outside => self.is_inside(pointer, extent, at, set),
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

    fn is_inside(&mut self, pointer: Operand, extent: Extent, at: InstId, set: &Set) -> bool {
        let block = self.body.program.insts[at].block;
        let number = self.body.number(pointer);
        let length = match extent {
            Extent::Bytes(bytes) => i128::from(bytes),
            Extent::Times(count, unit) => {
                let count = self.body.ranges().of(count, block).not_negative();
                match count.and_then(|c| c.hi.checked_mul(i128::from(unit))) {
                    Some(most) => most,
                    None => return false,
                }
            }
            Extent::Text { .. } => return false,
        };
        // Bytes near null are the matter of another rule.
        let is_object = self.body.is_object(number, set);
        let covers = |(lo, hi): (i64, i64), offset: Range, from_root: i64| {
            let near_null = offset.lo + i128::from(from_root) >= 0
                && offset.hi + i128::from(from_root) + length <= NULL_PAGE;
            lo < hi
                && i128::from(lo) <= offset.lo
                && offset.hi + length <= i128::from(hi)
                && (is_object || near_null)
        };
        let (_, from_root) = self.body.numbers.place(number);
        if covers(self.body.bytes(number, set), Range::exactly(0), from_root) {
            return true;
        }
        // An index, of which the range is known, from a pointer of which the surroundings are.
        let (root, offset) = self.body.numbers.place(number);
        let Made::Indexed(base, terms) = &self.body.numbers.made[root] else { return false };
        let mut sum = Range::exactly(i128::from(offset));
        for &(index, stride) in terms {
            let Some(index) = self.body.numbers.operand(index) else { return false };
            let index = self.body.ranges().of(index, block);
            let moved = index.times(Range::exactly(i128::from(stride as i64)));
            match moved.and_then(|moved| sum.plus(moved)) {
                Some(more) => sum = more,
                None => return false,
            }
        }
        covers(self.body.bytes(*base, set), sum, 0)
    }
}

/// The instruction that defines a value.
fn definition(program: &Program, operand: Operand) -> Option<(InstId, Inst)> {
    match program.values[operand.value()?].def {
        Def::Inst(inst) => Some((inst, program.insts[inst].inst)),
        Def::Param { .. } => None,
    }
}
