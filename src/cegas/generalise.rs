//! A loop left behind with a general state: looking at a turn, widening what differs, guessing what
//! holds and dropping what does not, until nothing changes. [`super::cover`] says why that is sound.

use super::cover::{Bound, Fail, Prover, Region, Tried};
use super::induct::General;
use super::interpolate::Turns;
use super::invariant::{Arrival, Effort};
use super::machine::Machine;
use super::state::State;
use super::widen::{Head, Misfit};
use crate::smt::{ExprId, VarId};
use crate::watch::Deadline;
use rustc_hash::FxHashSet;

/// Looks at a loop before candidates are no longer added, but only dropped.
const MOST_LOOKS: u32 = 12;

/// First turns that are taken out of a loop because objects begin or end in them, or after which what came back in
/// another shape is looked at by itself.
const MOST_PEELED: u32 = 3;

/// States that come back in another shape than the general one.
const MOST_ASIDE: usize = 4;

/// Violations that are to be excluded at a time.
const MOST_VIOLATIONS: usize = 6;

/// A general state, and what was seen of the states that came back to it.
pub(super) struct Seen<'s> {
    pub(super) head: &'s Head,
    pub(super) general: &'s State,
    /// What was met on the way.
    pub(super) conditions: &'s [ExprId],
    pub(super) arrivals: &'s [Arrival],
    pub(super) candidates: &'s [ExprId],
}

/// Whether a variable is older than what comes behind a general state.
fn older_than(general: &State) -> impl Fn(&Machine<'_>, VarId) -> bool + use<> {
    let count = general.fresh;
    move |machine, var| machine.source_of(var).is_some_and(|(number, _)| number < count)
}

impl Prover<'_, '_, '_> {
    /// The same by a general state, after as many first turns as it takes.
    pub(super) fn covered(&mut self, state: State, region: &Region) -> Tried<Vec<State>> {
        let mut out = Vec::new();
        let known = state.memory.len() as u32;
        let mut start = vec![state];
        for peeled in 0..=MOST_PEELED {
            let mut again = Vec::new();
            for state in start {
                let before = self.before();
                let may_part = peeled < MOST_PEELED && self.hypotheses == 0;
                match self.generalised(state.clone(), region, may_part)? {
                    Ok(general) if self.hypotheses > 0 => {
                        out.extend(self.inducted(state, general, region, before)?);
                    }
                    Ok(general) => {
                        out.extend(general.out);
                        again.extend(general.aside);
                    }
                    Err(_) if peeled < MOST_PEELED => {
                        self.go_back(before);
                        let ends = self.turn(vec![state.clone()], Bound::Turn(region))?;
                        self.note_met(region, state, false);
                        out.extend(ends.out);
                        again.extend(ends.back);
                    }
                    Err(_) => return Err(Fail::Beyond),
                }
            }
            start = self.merged_in_loop(again, known);
            if start.is_empty() {
                break;
            }
        }
        Ok(out)
    }

    /// S# and what leaves it; inside, why there is none. Lists that come back in another shape may part from it.
    fn generalised(
        &mut self,
        state: State,
        region: &Region,
        may_part: bool,
    ) -> Tried<Result<General, String>> {
        let mut state = state;
        if !self.classes.is_empty() {
            self.fold_lists(&mut state);
        }
        let mut head = Head::new(self.machine, &region.body, state);
        let (mut candidates, mut seen): (Vec<ExprId>, FxHashSet<ExprId>) = Default::default();
        let mut looks = 0;
        let mut is_combined = false;
        loop {
            looks += 1;
            let general = head.general(self.machine, &candidates);
            let (earlier, suspects) = (self.before(), self.suspects.len());
            let ends = self.turn(vec![general.clone()], Bound::Turn(region))?;

            let known = head.entry.assumed.len();
            let mut arrivals = Vec::new();
            let mut aside = Vec::new();
            let mut is_widened = false;
            for state in &ends.back {
                let has_lists = self.has_lists(&general, state);
                // What parts leaves no trace in the head.
                let parts = has_lists && may_part && self.keeps_known && aside.len() < MOST_ASIDE;
                let untouched = parts.then(|| head.clone());
                let arrived = if has_lists {
                    self.arrive(&mut head, &general, state)
                } else {
                    Ok(state.clone())
                };
                match arrived.and_then(|state| head.cover(self.machine, &general, &state)) {
                    Ok(binding) => {
                        let kept = state.assumed.iter().take(known);
                        let own = state.assumed.iter().skip(known + candidates.len());
                        let holds = kept.chain(own).chain(&state.deferred).copied().collect();
                        arrivals.push(Arrival { holds, binding });
                    }
                    Err(Misfit::Widened) => {
                        is_widened = true;
                        if !general.memory.same(&head.entry.memory) {
                            // What arrives next is matched with other objects.
                            break;
                        }
                    }
                    Err(Misfit::Shape(what)) => {
                        let Some(untouched) = untouched else { return Ok(Err(what)) };
                        head = untouched;
                        aside.push(state.clone());
                    }
                }
            }
            let limits = self.limits();
            let effort = Effort { limits, deadline: self.question.deadline };
            let scalars = head.scalars(self.machine);
            let mut new = Vec::new();
            if is_widened {
                new = self.machine.templates(&scalars, &self.constants);
            } else if looks < MOST_LOOKS {
                let mut conditions: Vec<ExprId> = self.suspects[suspects..].to_vec();
                conditions.extend(self.hints.iter().copied());
                let is_suspect = !conditions.is_empty();
                for state in ends.back.iter().chain(&ends.out) {
                    conditions.extend(state.assumed.iter().skip(known + candidates.len()));
                }
                // Where ways have met, what told them apart is in the values.
                conditions.extend(self.machine.choices_in(&arrivals));
                let seen_now = Seen {
                    head: &head,
                    general: &general,
                    conditions: &conditions,
                    arrivals: &arrivals,
                    candidates: &candidates,
                };
                new = self.supply(&seen_now);
                if is_suspect
                    && !is_combined
                    && new.iter().all(|candidate| seen.contains(candidate))
                {
                    // With them, what fell before may hold.
                    is_combined = true;
                    seen = candidates.iter().copied().collect();
                    new.extend(self.machine.templates(&scalars, &self.constants));
                    let is_old = older_than(&general);
                    new.extend(self.machine.either_or(&conditions, &scalars, &arrivals, is_old));
                }
            }
            new.retain(|&candidate| seen.insert(candidate));
            // (1): what holds at the entry.
            let entry =
                Arrival { holds: head.entry.conditions(), binding: head.at_entry(self.machine) };
            self.machine.keep(&mut new, std::slice::from_ref(&entry), false, &effort);
            let before = candidates.clone();
            candidates.extend(new);
            if self.is_over() {
                return Err(Fail::Time);
            }
            if is_widened {
                self.go_back(earlier);
                continue;
            }
            // (3): what holds at the end of each turn.
            self.machine.keep(&mut candidates, &arrivals, true, &effort);
            if candidates == before {
                let found = self.interpolated(&head, &general, &entry, &arrivals, &candidates);
                candidates.extend(found.into_iter().filter(|&candidate| seen.insert(candidate)));
                self.machine.keep(&mut candidates, std::slice::from_ref(&entry), false, &effort);
            }
            if candidates == before {
                self.keeps_at_head(&general);
                self.note_met(region, general.clone(), true);
                return Ok(Ok(General { state: general, out: ends.out, aside }));
            }
            self.go_back(earlier);
            if self.is_over() {
                return Err(Fail::Time);
            }
        }
    }

    /// Candidates from what was seen.
    pub(super) fn supply(&mut self, seen: &Seen<'_>) -> Vec<ExprId> {
        let Seen { head, general, conditions, arrivals, candidates } = *seen;
        let limits = self.limits();
        let scalars = head.scalars(self.machine);
        let elements = head.elements(self.machine);
        let vars: FxHashSet<VarId> = head.at_entry(self.machine).into_keys().collect();
        let is_old = older_than(general);
        let mut new = self.machine.compared_in(conditions, &vars, &is_old);
        if let Some(last_read) = head.last_read {
            let facts = self.machine.said_of_contents(general, conditions, &is_old);
            new.extend(self.machine.of_contents(&scalars, &facts));
            new.extend(self.machine.of_last_read(&scalars, last_read));
        }
        if !elements.is_empty() {
            let written = self.machine.written(&scalars, &elements, arrivals);
            let mut facts = self.machine.own(written, &vars, &is_old);
            facts.extend(self.machine.said_in(conditions, &vars, &is_old));
            new.extend(self.machine.of_elements(&scalars, &elements, &facts));
        }
        new.extend(self.machine.value_sets(&scalars, arrivals));
        new.extend(self.machine.constant_sums(&scalars, arrivals, candidates, &limits));
        new
    }

    /// Candidates that exclude the violations met so far, as far as they speak of this loop.
    fn interpolated(
        &mut self,
        head: &Head,
        general: &State,
        entry: &Arrival,
        arrivals: &[Arrival],
        candidates: &[ExprId],
    ) -> Vec<ExprId> {
        if !self.interpolates {
            return Vec::new();
        }
        let vars: FxHashSet<VarId> = head.at_entry(self.machine).into_keys().collect();
        let before = head.entry.conditions();
        let known: FxHashSet<ExprId> = candidates.iter().chain(&before).copied().collect();
        let mut violations = Vec::new();
        for path in self.refuted.iter().rev().chain(self.refuted_before.iter().rev()) {
            let own: Vec<ExprId> =
                path.iter().filter(|condition| !known.contains(condition)).copied().collect();
            let free = self.machine.smt.pool.free_vars(&own);
            if free.iter().any(|var| vars.contains(var)) && !violations.contains(&own) {
                violations.push(own);
            }
        }
        violations.truncate(MOST_VIOLATIONS);
        let count = general.fresh;
        let is_own = |machine: &Machine<'_>, var: VarId| {
            machine.source_of(var).is_some_and(|(number, _)| number < count)
        };
        // Not all of the time: there are other loops, and other ways to prove.
        let left = self.question.deadline.left();
        let effort = Effort { limits: self.limits(), deadline: Deadline::within(left / 6) };
        let turns =
            Turns { entry, back: arrivals, known: candidates, before: &before, is_own, effort };
        self.machine.interpolants(&turns, &violations)
    }
}
