//! Whether a state is an instance of a written one: equal to it, once the variables of the written one have the right
//! values and its objects are taken for the right objects.
//!
//! The written state says that there are numbers, and objects that are all different, for which everything it lists holds.
//! So a look for such numbers and objects is free to guess; what is found is checked as a whole. What the written
//! state leaves out is not known in it: a value that is missing cannot be read, an object that is missing cannot
//! be reached. What an object holds where nothing is written is known, so there the two are compared, too.

use super::guesses::Guess;
use super::matching::{Matching, Pair, Search, Wish};
use super::{Checker, Reason};
use crate::cegas::memory::{Instance, Life, Object, Origin};
use crate::cegas::state::State;
use crate::cegas::value::Value;
use crate::smt::{Answer, ExprId, Limits, Pool, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

/// Cases into which a state is taken apart to be compared.
const MOST_CASES: u32 = 64;

/// Guesses that are tried before a matching is given up.
const MOST_GUESSES: u32 = 24;

/// Questions about one pair of states take this long at most.
pub(super) const LIMITS: Limits = Limits { work: 3_000_000, milliseconds: 1_000, megabytes: 2_000 };

/// What a comparison says.
pub(super) enum Fit {
    Yes,
    No,
    /// These states are meant together, and each is simpler.
    Cases(Vec<Arrived>),
}

/// A state that is compared, with what is known of its pointers in this case.
#[derive(Clone)]
pub(super) struct Arrived {
    pub state: State,
    pub chosen: FxHashMap<ExprId, ExprId>,
}

impl Checker<'_> {
    /// The written states that cover the state between them, of those with these numbers; nothing if they do not.
    pub(super) fn covers(
        &mut self,
        state: &State,
        among: &[usize],
    ) -> Result<Option<Vec<usize>>, Reason> {
        let mut found = Vec::new();
        let mut cases = 0;
        let mut waiting = vec![Arrived { state: state.clone(), chosen: FxHashMap::default() }];
        'cases: while let Some(arrived) = waiting.pop() {
            cases += 1;
            let mut apart = None;
            for &number in among {
                if self.is_over() {
                    return Err(Reason::Time);
                }
                match self.fits(number, &arrived) {
                    Fit::Yes => {
                        found.push(number);
                        continue 'cases;
                    }
                    Fit::Cases(cases) => _ = apart.get_or_insert(cases),
                    Fit::No => {}
                }
            }
            match apart {
                Some(apart) if cases < MOST_CASES => waiting.extend(apart),
                _ => return Ok(None),
            }
        }
        found.sort_unstable();
        found.dedup();
        Ok(Some(found))
    }

    fn fits(&mut self, number: usize, arrived: &Arrived) -> Fit {
        let Some(written) = self.written.get(number) else { return Fit::No };
        let general = written.state.clone();
        let mut search = Search::new(&mut self.machine, general, arrived.clone());
        let Some((agenda, matching)) = search.begin() else { return Fit::No };
        let found = search.solve(agenda, matching);
        let (wish, state) = (search.wish.take(), arrived.state.clone());
        if let Some(loses) = found {
            self.loses |= loses;
            return Fit::Yes;
        }
        match wish {
            Some(Wish::List(list)) => match self.machine.unfold(&state, list) {
                Ok(states) => {
                    let case = |state| Arrived { state, chosen: arrived.chosen.clone() };
                    Fit::Cases(states.into_iter().map(case).collect())
                }
                Err(_) => Fit::No,
            },
            Some(Wish::Places(value, places)) => {
                let mut cases = Vec::new();
                for (guard, at) in places {
                    if !self.is_refuted(&state, guard).unwrap_or(false) {
                        let mut case = arrived.clone();
                        // What holds of addresses alone is known in no state.
                        if self.machine.assume(&mut case.state, guard).is_ok() {
                            case.chosen.insert(value, at);
                            cases.push(case);
                        }
                    }
                }
                Fit::Cases(cases)
            }
            None => Fit::No,
        }
    }
}

impl Search<'_, '_> {
    /// What has to be equal at first: the stack, and what has a name.
    pub(super) fn begin(&mut self) -> Option<(Vec<Pair>, Matching)> {
        let (ours, theirs) = (self.general.clone(), self.arrived.state.clone());
        let is_same = ours.frames.len() == theirs.frames.len()
            && ours.pending == theirs.pending
            && ours.closing == theirs.closing
            && ours.trusted == theirs.trusted
            && ours.handled == theirs.handled;
        is_same.then_some(())?;
        let (mut agenda, mut matching) = (Vec::new(), Matching::default());
        for (a, b) in ours.frames.iter().zip(&theirs.frames) {
            let is_same = (a.func, a.block, a.at, a.call) == (b.func, b.block, b.at, b.call)
                && a.locals.len() == b.locals.len()
                && a.varargs.len() == b.varargs.len();
            is_same.then_some(())?;
            for (&one, &other) in a.locals.iter().zip(&b.locals) {
                self.meet(one, other, &mut matching, &mut agenda).then_some(())?;
            }
            for (one, other) in a.varargs.iter().zip(&b.varargs) {
                pair_up(one, other, &mut agenda)?;
            }
            for (id, one) in &a.values {
                pair_up(one, b.values.get(id)?, &mut agenda)?;
            }
        }
        for instance in (0..self.first).map(Instance) {
            let (one, other) = (ours.memory.get(instance)?, theirs.memory.get(instance)?);
            if one != other || !one.cells.is_empty() {
                self.meet(instance, instance, &mut matching, &mut agenda).then_some(())?;
            }
        }
        if let Some(read) = ours.last_read {
            let always = self.machine.smt.pool.bool(true);
            agenda.push((read, theirs.last_read.unwrap_or(always)));
        }
        Some((agenda, matching))
    }

    /// Whether everything holds with this matching, and then whether allocated memory is lost in it.
    pub(super) fn shown(&mut self, matching: &Matching) -> Option<bool> {
        self.leaves = self.leaves.checked_sub(1)?;
        self.has_objects(matching).then_some(())?;
        let holds = self.general.conditions();
        let mut said: Vec<ExprId> = holds.clone();
        said.extend(matching.equal.iter().map(|&(one, _)| one));
        said.extend(matching.facts.iter().map(|fact| fact.said));
        let matching = &self.with_solved(matching, &holds);
        let mut open = self.open(&said, matching);
        self.choose(matching, &holds, &mut open);
        for _ in 0..MOST_GUESSES {
            match self.fails(matching, &holds, &open) {
                Tried::Holds => return Some(self.is_lost(matching)),
                Tried::Never => return None,
                Tried::Fails(said) => {
                    let vars = self.machine.smt.pool.free_vars(&[said]);
                    // A guess that may be why is given up for the next one.
                    let mut wrong = open.iter_mut().filter(|guess| vars.contains(&guess.var));
                    let next = wrong.find_map(|guess| guess.next.pop().map(|next| (guess, next)));
                    let (guess, next) = next?;
                    guess.value = next;
                }
            }
        }
        None
    }

    /// Whether the written state's objects are all taken for some. One that nothing leads to with this matching need not
    /// be there: an execution does the same without it.
    fn has_objects(&self, matching: &Matching) -> bool {
        let is_there = |number: u32| {
            let Some(object) = self.general.memory.get(Instance(number)) else { return false };
            let is_met = matching.met.contains_key(&Instance(number))
                || matching.empty.contains(&Instance(number));
            let needs_a_pointer =
                matches!(object.origin, Origin::Heap(_)) && object.life != Life::Replaced;
            is_met || needs_a_pointer || object.life == Life::Ended
        };
        let is_exposed = |theirs: &Instance| {
            let ours = matching.met.iter().find(|(_, met)| *met == theirs).map(|(ours, _)| ours);
            match ours {
                Some(ours) => self.general.exposed.contains(ours),
                None if theirs.0 < self.first => self.general.exposed.contains(theirs),
                // It is forgotten.
                None => !matching.taken.contains(theirs),
            }
        };
        (self.first..self.general.memory.len() as u32).all(is_there)
            && self.arrived.state.exposed.iter().all(is_exposed)
    }

    /// Something that does not follow with these guesses.
    fn fails(&mut self, matching: &Matching, holds: &[ExprId], open: &[Guess]) -> Tried {
        let tags: Vec<VarId> =
            open.iter().filter_map(|guess| guess.left_open(&self.machine.smt.pool)).collect();
        let (binding, images) = self.images(matching, holds, open);
        let conditions = self.arrived.state.conditions();
        let known: FxHashSet<ExprId> = conditions.iter().copied().collect();
        let Some(mut images) = self.for_some(&tags, images) else { return Tried::Never };
        images.retain(|(image, _)| !known.contains(image));
        if let Some(said) = self.first_that_fails(&conditions, &images) {
            return Tried::Fails(said);
        }
        for fact in &matching.facts {
            let mut binding = binding.clone();
            binding.extend(fact.node.iter().map(|(&var, &value)| (var, value)));
            let image = self.machine.smt.pool.substitute(fact.said, &binding);
            let mut premises = conditions.clone();
            premises.extend(&fact.premises);
            if !premises.contains(&image) && !self.follows(&premises, image) {
                return Tried::Fails(fact.said);
            }
        }
        Tried::Holds
    }

    fn is_lost(&self, matching: &Matching) -> bool {
        let memory = &self.arrived.state.memory;
        let is_lost = |number: u32| {
            let object = memory.get(Instance(number));
            let is_live = |o: &Object| o.life == Life::Live && matches!(o.origin, Origin::Heap(_));
            object.is_some_and(is_live) && !matching.taken.contains(&Instance(number))
        };
        (0..memory.len() as u32).any(is_lost)
    }

    /// Asks about all images in one question, since most of them follow.
    fn first_that_fails(
        &mut self,
        premises: &[ExprId],
        images: &[(ExprId, ExprId)],
    ) -> Option<ExprId> {
        let all: Vec<ExprId> = images.iter().map(|&(image, _)| image).collect();
        let mut question = premises.to_vec();
        let pool = &mut self.machine.smt.pool;
        let together = pool.and_all(&all);
        question.push(pool.not(together));
        let is_plain = !all.iter().any(|&image| self.machine.speaks_of_addresses(image));
        let fails = |answer: Answer, pool: &Pool| match answer {
            Answer::Unsat(_) => Some(None),
            Answer::Sat(model) => {
                let fails = |(image, _): &&(ExprId, ExprId)| pool.eval(*image, &model) != Some(1);
                images.iter().find(fails).map(|&(_, said)| Some(said))
            }
            Answer::Unknown(_) => None,
        };
        if is_plain {
            let answer = self.machine.smt.check(&question, &LIMITS);
            if let Some(found) = fails(answer, &self.machine.smt.pool) {
                return found;
            }
        }
        images.iter().find(|&&(image, _)| !self.follows(premises, image)).map(|&(_, said)| said)
    }

    fn follows(&mut self, premises: &[ExprId], image: ExprId) -> bool {
        match self.machine.smt.pool.as_const(image) {
            Some(value) => return value == 1,
            None if self.machine.speaks_of_addresses(image) => return false,
            None => {}
        }
        let mut question = premises.to_vec();
        question.push(self.machine.smt.pool.not(image));
        matches!(self.machine.smt.check(&question, &LIMITS), Answer::Unsat(_))
    }
}

/// What comes of some guesses.
enum Tried {
    Holds,
    /// This does not hold with them.
    Fails(ExprId),
    Never,
}

/// Values that have to be equal.
fn pair_up(one: &Value, other: &Value, agenda: &mut Vec<Pair>) -> Option<()> {
    match (one, other) {
        (Value::Bits(one), Value::Bits(other)) => agenda.push((*one, *other)),
        (Value::Parts(one), Value::Parts(other)) if one.len() == other.len() => {
            for (one, other) in one.iter().zip(other.iter()) {
                pair_up(one, other, agenda)?;
            }
        }
        _ => return None,
    }
    Some(())
}
