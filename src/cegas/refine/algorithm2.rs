//! Algorithm 2, CEGAS: counterexample-guided abstraction refinement and strong update, line by line.
//!
//! Invariant: `Safe` is said only when the waitlist is empty and nothing was left out of it; `Unsafe` only of a path
//! that was walked again with the values found.

use super::Checked;
use super::arg::{Arg, NodeId};
use super::model::Model;
use super::precision::Precision;
use super::rounds::Story;
use super::segment::{End, Way};
use crate::cegas::verdict::{Proof, Reason, Verdict};
use crate::cegas::violation::Violation;

/// Paths that may nest calls too deep before this is given up: a refinement often ends such a recursion.
const MOST_TOO_DEEP: u32 = 4;

/// What the inner loop comes to.
enum Explored {
    /// A path that may violate φ.
    Error(NodeId),
    /// The waitlist is empty.
    Empty,
}

/// Algorithm 2.
pub(super) fn cegas(model: &mut Model<'_>, story: &mut Story) -> Checked {
    let verdict = rounds(model, story).unwrap_or_else(Verdict::Unknown);
    story.tell_verdict(&verdict);
    Checked { verdict, rounds: story.rounds() }
}

fn rounds(model: &mut Model<'_>, story: &mut Story) -> Result<Verdict, Reason> {
    let mut precision = Precision::default(); // line 1: π := π₀ := ∅
    let mut first = model.machine.start(model.entry);
    let exact = first.clone();
    model.abstraction(&mut first, Some(&precision));
    let mut arg = Arg::new(first); // line 2
    loop {
        // line 3
        story.begin(&precision);
        let error = match explore(model, &precision, &mut arg)? {
            Explored::Error(node) => node, // lines 13–15
            Explored::Empty => {
                // lines 30–31: return safe
                let rounds = story.rounds();
                return match arg.why_incomplete() {
                    Some(reason) => Err(reason.clone()),
                    None => Ok(Verdict::Safe(Proof::Refined { rounds })),
                };
            }
        };
        let path = arg.path(error); // line 19: extractErrorPath
        let ways: Vec<Way> =
            path.iter().filter_map(|&id| arg.node(id).parent.map(|(_, way)| way)).collect();
        story.tell_path(model, &exact, &ways);
        if let Some(refined) = model.refine(&exact, &ways, &precision) {
            // lines 20–21: infeasible, π := π ∪ Refine(ρ, M)
            story.tell_refinement(model, &refined, &precision);
            precision.join(refined.joins);
            prune(model, &precision, &mut arg, &path, &ways, refined.pivot)?; // line 27, lazily
            continue;
        }
        // Explicit values do not refute it: it is real, or its conditions on inputs exclude each other.
        model.limit.check(arg.len(), model.machine.smt.pool.len())?;
        return match model.is_feasible(&ways) {
            Violation::Real(counterexample) => Ok(Verdict::Unsafe(counterexample)), // lines 22–26
            Violation::Excluded => Err(Reason::Relation),
            Violation::Unknown(reason) => Err(reason),
        };
    }
}

/// Lines 4–17: the abstract states that are reached with this precision, until one may violate φ.
fn explore(
    model: &mut Model<'_>,
    precision: &Precision,
    arg: &mut Arg,
) -> Result<Explored, Reason> {
    while let Some(id) = arg.choose() {
        model.limit.check(arg.len(), model.machine.smt.pool.len())?; // line 5
        match model.run(arg.node(id).state.clone(), None) {
            End::Target => return Ok(Explored::Error(id)), // line 13
            End::Ways(_, ways) => {
                // line 6: each b' with b → E(b', π); the first is to be chosen first
                for (way, mut state) in ways.into_iter().rev() {
                    if !model.may_arrive(&state) {
                        continue; // Gc of one obligation ends where it cannot be reached any more
                    }
                    model.abstraction(&mut state, Some(precision)); // line 8
                    arg.push(Some((id, way)), state); // lines 9–12
                }
            }
            End::Over(_) | End::Finished => {}
            // A path that leaves the model: there may still be a violation elsewhere, but no proof.
            // A recursion that goes on for ever would give a new one in every round.
            End::Left(reason) if arg.too_deep >= MOST_TOO_DEEP => return Err(reason),
            End::Left(reason) => arg.leave(id, reason),
        }
    }
    Ok(Explored::Empty)
}

/// Cuts the graph where the path has to know more, and lets that node know it. If the states before are too coarse for
/// it, since they were made with less precision, the graph is made anew, as the paper does.
fn prune(
    model: &mut Model<'_>,
    precision: &Precision,
    arg: &mut Arg,
    path: &[NodeId],
    ways: &[Way],
    pivot: usize,
) -> Result<(), Reason> {
    if let Some((&before, &node)) =
        pivot.checked_sub(1).and_then(|p| path.get(p)).zip(path.get(pivot))
    {
        let from = arg.node(before).state.clone();
        let rest = ways.get(pivot - 1..).unwrap_or_default();
        let trace = model.trace(&from, rest, Some(precision));
        if let (super::trace::Walked::Refuted { .. }, Some((_, state))) =
            (&trace.outcome, trace.cuts.get(1))
        {
            arg.prune(node, state.clone());
            return Ok(());
        }
    }
    let mut first = model.machine.start(model.entry);
    model.abstraction(&mut first, Some(precision));
    let too_deep = arg.too_deep;
    *arg = Arg::new(first);
    arg.too_deep = too_deep;
    Ok(())
}
