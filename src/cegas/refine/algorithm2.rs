//! Algorithm 2, CEGAS: counterexample-guided abstraction refinement and strong update, line by line.
//!
//! Invariant: `Safe` is said only when the waitlist is empty and nothing was left out of it; `Unsafe` only of a path
//! that was walked again with the values found.

use super::Checked;
use super::arg::{Arg, Known, Link, Node, NodeId};
use super::model::Model;
use super::precision::{Location, Precision, Variable};
use super::predicates::Label;
use super::rounds::Story;
use super::segment::{DEEPEST, End, Way};
use super::table::{ContextId, Entered, Resumed, Table, Written};
use super::trace::Walked;
use crate::cegas::state::State;
use crate::cegas::verdict::{Proof, Reason, Verdict};
use crate::cegas::violation::Violation;
use crate::ir::FuncId;
use crate::smt::ExprId;
use std::collections::BTreeSet;
use std::rc::Rc;

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
    let mut precision = Precision::default(); // line 1: π := π₀ := ∅
    let verdict = rounds(model, &mut precision, story).unwrap_or_else(Verdict::Unknown);
    model.known.ask_all(&precision);
    story.tell_verdict(&verdict);
    Checked { verdict, rounds: story.rounds() }
}

fn rounds(
    model: &mut Model<'_>,
    precision: &mut Precision,
    story: &mut Story,
) -> Result<Verdict, Reason> {
    let exact = model.machine.start(model.entry);
    let (mut arg, mut table) = (first(model, precision, 0), Table::default()); // line 2
    loop {
        // line 3
        story.begin(precision);
        let error = match explore(model, precision, &mut arg, &mut table)? {
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
        model.passed = 0;
        // line 19: extractErrorPath
        let ways = arg.ways(error, &table).ok_or(Reason::Depth { limit: DEEPEST })?;
        story.tell_path(model, &exact, &ways);
        if let Some(refined) = model.refine(&exact, &ways, precision) {
            // lines 20–21: infeasible, π := π ∪ Refine(ρ, M)
            story.tell_refinement(model, &refined, precision);
            let grown = grown(model, precision, &refined.joins);
            precision.join(refined.joins);
            // line 27, lazily
            if table.is_empty() {
                prune(model, precision, &mut arg, error, &ways, refined.pivot);
            } else if let Some(grown) = grown {
                let stay = stay(&arg, &table, error, &grown);
                story.tell_kept(model, &table, &stay);
                arg.restart(&stay, first_state(model, precision));
                table.keep(&stay, |node| arg.is_gone(node));
            } else {
                // What a caller forgot in a row, no precision brings back: then calls are followed with their callers.
                model.tabulates = false;
                (arg, table) = (first(model, precision, arg.too_deep), Table::default());
            }
            continue;
        }
        // Explicit values do not refute it: it is real, or its conditions on inputs exclude each other.
        model.limit.check(arg.len(), model.machine.smt.pool.len())?;
        match model.is_feasible(&ways) {
            Violation::Real(counterexample) => return Ok(Verdict::Unsafe(counterexample)), // lines 22–26
            Violation::Unknown(reason) => return Err(reason),
            Violation::Excluded => {
                // lines 20–21 again, with predicates: what relates inputs
                let Some(newton) = model.newton(&exact, &ways, precision) else {
                    return Err(Reason::Relation);
                };
                story.tell_predicates(model, &newton, precision);
                precision.join(newton.joins);
                precision.ask(newton.asked);
                if std::mem::replace(&mut model.tabulates, false) {
                    // A predicate may relate what a function has to what its callers have.
                    (arg, table) = (first(model, precision, arg.too_deep), Table::default());
                } else {
                    prune(model, precision, &mut arg, error, &ways, newton.pivot);
                }
            }
        }
    }
}

/// The graph with nothing but its first state.
fn first(model: &mut Model<'_>, precision: &Precision, too_deep: u32) -> Arg {
    let mut arg = Arg::new(first_state(model, precision));
    arg.too_deep = too_deep;
    arg
}

fn first_state(model: &mut Model<'_>, precision: &Precision) -> State {
    let mut first = model.machine.start(model.entry);
    model.passed = 0;
    model.abstraction(&mut first, Some(precision));
    first
}

/// The functions in which more is tracked; `None` if nothing more is tracked anywhere.
fn grown(
    model: &Model<'_>,
    precision: &Precision,
    joins: &BTreeSet<(Location, Variable)>,
) -> Option<BTreeSet<FuncId>> {
    let is_new = |&&(location, variable): &&_| !precision.tracks(location, variable);
    let new: Vec<Location> = joins.iter().filter(is_new).map(|&(location, _)| location).collect();
    let blocks = &model.machine.program.blocks;
    (!new.is_empty()).then(|| new.into_iter().flatten().map(|block| blocks[block].func).collect())
}

/// The calls that are as they would be if they were made anew: explored to their end, with no function in them for which
/// the precision has grown, and so are all that they wait for. What they returned holds with any precision.
fn stay(arg: &Arg, table: &Table, error: NodeId, grown: &BTreeSet<FuncId>) -> BTreeSet<ContextId> {
    let is_grown = |node: &&Node| node.state.frames.iter().any(|f| grown.contains(&f.func));
    let touched = arg.nodes().filter(is_grown).filter_map(|node| node.context);
    let mut open: Vec<ContextId> =
        touched.chain(arg.unfinished()).chain(arg.node(error).context).collect();
    let mut stale = BTreeSet::new();
    while let Some(context) = open.pop() {
        if stale.insert(context) {
            open.extend(table.waiting(context).filter_map(|node| arg.node(node).context));
        }
    }
    arg.nodes().filter_map(|node| node.context).filter(|context| !stale.contains(context)).collect()
}

/// Lines 4–17: the abstract states that are reached with this precision, until one may violate φ.
fn explore(
    model: &mut Model<'_>,
    precision: &Precision,
    arg: &mut Arg,
    table: &mut Table,
) -> Result<Explored, Reason> {
    while let Some(id) = arg.choose() {
        model.limit.check(arg.len(), model.machine.smt.pool.len())?; // line 5
        let context = arg.node(id).context;
        model.passed = context.map_or(0, |context| table.get(context).passed);
        model.written = Written::default();
        model.asks = precision.has_predicates();
        if !force_cover(model, precision, arg, id) {
            continue;
        }
        let mut state = arg.node(id).state.clone();
        if model.assume_label(&mut state, &arg.node(id).known.label).is_err() {
            continue; // no values satisfy it
        }
        let end = model.run(state, None);
        let written = written(model, arg, id);
        match end {
            End::Target(_) => return Ok(Explored::Error(id)), // line 13
            End::Ways(_, ways) => {
                // line 6: each b' with b → E(b', π); the first is to be chosen first
                for (way, mut state) in ways.into_iter().rev() {
                    if !model.may_arrive(&state) {
                        continue; // Gc of one obligation ends where it cannot be reached any more
                    }
                    if let Way::Enter(func) = way
                        && model.is_tabulated(func)
                        && let Some(entered) =
                            enter(model, precision, table, func, id, &state, &written)
                    {
                        match entered {
                            Entered::New(context, state) => {
                                arg.enter(context, *state);
                            }
                            Entered::Known(rows) => resume(model, precision, arg, table, rows)?,
                        }
                        continue;
                    }
                    let Some(label) = model.abstracted(&mut state, precision) else { continue }; // line 8
                    let parent = Some((id, Link::Way(way)));
                    let asked = asked(precision, &state);
                    let known = Known { label, asked };
                    let implies = &mut |a: &Label, b: &Label| model.implies(a, b);
                    arg.push(parent, context, state, Rc::clone(&written), known, implies); // lines 9–12
                }
            }
            End::Return(state, value) => {
                let Some(context) = context else { continue };
                let (state, value) = model.row(*state, value);
                let rows = table.exit(context, id, state, value, written);
                resume(model, precision, arg, table, rows)?;
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

/// What a call wrote through addresses that are not explicit, up to the end of what was just run from `id`. Nobody asks
/// where all callers are there.
fn written(model: &mut Model<'_>, arg: &Arg, id: NodeId) -> Rc<Written> {
    let node = arg.node(id);
    if node.context.is_none() || model.written.is_within(&node.written) {
        return Rc::clone(&node.written);
    }
    let mut all = std::mem::take(&mut model.written);
    all.join(&node.written);
    Rc::new(all)
}

/// A call: what its function can name of the state, with the precision at its entry. `None` if that cannot be told.
fn enter(
    model: &mut Model<'_>,
    precision: &Precision,
    table: &mut Table,
    func: FuncId,
    caller: NodeId,
    state: &State,
    written: &Rc<Written>,
) -> Option<Entered> {
    if state.top().is_none_or(|frame| frame.func != func) {
        return None;
    }
    let mut entry = state.clone();
    model.abstraction(&mut entry, Some(precision));
    let entry = model.restricted(&entry)?;
    Some(table.enter(func, caller, state.clone(), entry, Rc::clone(written)))
}

/// Lets calls go on from rows.
fn resume(
    model: &mut Model<'_>,
    precision: &Precision,
    arg: &mut Arg,
    table: &Table,
    rows: Vec<Resumed>,
) -> Result<(), Reason> {
    for (waiting, exit) in rows {
        let node = waiting.node;
        let context = arg.node(node).context;
        let func = arg.node(exit.node).context.map(|context| table.get(context).func);
        let (Some(func), Ok(Some(mut state))) = (func, model.resumed(&waiting, &exit)) else {
            let what = "a call that returns in another way than it was entered".to_owned();
            return Err(Reason::Unsupported { what, at: None });
        };
        if !model.may_arrive(&state) {
            continue;
        }
        model.passed = context.map_or(0, |context| table.get(context).passed);
        model.abstraction(&mut state, Some(precision));
        let mut written = Written::clone(&waiting.written);
        written.join(&exit.written);
        let parent = Some((node, Link::Call { func, exit: exit.node }));
        arg.resume(parent, context, state, Rc::new(written));
    }
    Ok(())
}

/// Cuts the graph where the path has to know more, and lets that node know it. If the states before are too coarse for
/// it, since they were made with less precision, the graph is made anew, as the paper does.
fn prune(
    model: &mut Model<'_>,
    precision: &Precision,
    arg: &mut Arg,
    error: NodeId,
    ways: &[Way],
    pivot: usize,
) {
    let path = arg.path(error);
    let before = pivot.checked_sub(1).and_then(|before| path.get(before));
    if let Some((&before, &node)) = before.zip(path.get(pivot)) {
        let mut from = arg.node(before).state.clone();
        let rest = ways.get(pivot - 1..).unwrap_or_default();
        // What no values satisfy is refuted before the pivot.
        if model.assume_label(&mut from, &arg.node(before).known.label).is_ok() {
            let trace = model.trace(&from, rest, Some(precision));
            if let (Walked::Refuted { .. }, Some((_, state)), Some(label)) =
                (&trace.outcome, trace.cuts.get(1), trace.labels.first())
            {
                let known = Known { label: Label::clone(label), asked: asked(precision, state) };
                let implies = &mut |a: &Label, b: &Label| model.implies(a, b);
                arg.prune(node, state.clone(), known, implies);
                return;
            }
        }
    }
    *arg = first(model, precision, arg.too_deep);
}

/// Forced covering: a state that was labelled before more was asked at its place is labelled again, from its parent. Whether
/// it is still to be looked at: another may cover it now. If no execution comes to it from its parent, it is followed with its
/// old label all the same, since it may cover others to which some come.
fn force_cover(model: &mut Model<'_>, precision: &Precision, arg: &mut Arg, id: NodeId) -> bool {
    let node = arg.node(id);
    let asked = asked(precision, &node.state);
    let is_grown = asked > node.known.asked;
    let Some((parent, Link::Way(way))) = node.parent.filter(|_| is_grown) else { return true };
    let mut from = arg.node(parent).state.clone();
    if model.assume_label(&mut from, &arg.node(parent).known.label).is_err() {
        return true;
    }
    let End::Ways(_, ways) = model.run(from, None) else { return true };
    let Some((_, mut state)) = ways.into_iter().find(|(open, _)| *open == way) else { return true };
    let Some(label) = model.abstracted(&mut state, precision) else { return true };
    // What is tracked may have grown, too: that is for another round.
    let mut all: Vec<ExprId> = label.iter().chain(node.known.label.iter()).copied().collect();
    all.sort_unstable();
    all.dedup();
    let implies = &mut |a: &Label, b: &Label| model.implies(a, b);
    arg.relabel(id, Known { label: all.into(), asked }, implies)
}

/// How many predicates are asked at the state's place.
fn asked(precision: &Precision, state: &State) -> usize {
    let asked = state.top().and_then(|frame| precision.asked(frame.at));
    asked.map_or(0, BTreeSet::len)
}
