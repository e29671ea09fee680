//! A state with lists comes back to a loop's head: which of its objects are which of the general state's, and what
//! has to be made more general if they do not fit.
//!
//! Objects are matched along the pointers that lead to them. A list of the general state may be matched by nothing if
//! it may be empty: then what arrives has the list's tail where the general state has its address. Where the
//! general state cannot be met, it is edited: a list may be empty, a node becomes a list, a new list that may be empty
//! is put before what a pointer means. Every edit only adds states, so the general state still covers the entry.
//! The search goes for as few edits as possible.

use super::cover::Prover;
use super::edits::{Edit, Place};
use super::fold::{is_node, next, side};
use super::memory::{Background, Cell, Instance, Object, Origin};
use super::renamed::Pointer;
use super::state::State;
use super::value::Value;
use super::widen::{Head, Misfit};
use crate::ir::ValueId;
use crate::smt::ExprId;
use std::collections::{BTreeMap, BTreeSet};

/// Edits made at once.
const MOST_EDITS: usize = 3;

/// Steps of one search.
const MOST_STEPS: u32 = 5_000;

#[derive(Debug, Clone, Copy)]
struct Pair {
    at: Place,
    general: ExprId,
    arrived: ExprId,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Met {
    Known(Instance),
    /// A list that is put in, before this value.
    New(ExprId),
}

/// Invariant: a list of the general state is taken or empty, everywhere the same.
#[derive(Debug, Clone, Default)]
pub(super) struct Matching {
    pub met: BTreeMap<Instance, Met>,
    taken: BTreeSet<Instance>,
    empty: BTreeSet<Instance>,
    edits: Vec<Edit>,
    /// Edits that count.
    cost: usize,
}

struct Search<'a> {
    general: &'a State,
    arrived: &'a State,
    stable: u32,
    steps: u32,
}

impl Prover<'_, '_, '_> {
    /// Whether objects have to be matched at all.
    pub(super) fn has_lists(&self, general: &State, state: &State) -> bool {
        let known = general.memory.len() as u32;
        let made = (known..state.memory.len() as u32).map(Instance);
        let is_made = made.filter_map(|i| state.memory.get(i)).any(is_node);
        is_made || !general.memory.chains().is_empty() || !state.memory.chains().is_empty()
    }

    /// The state with the general state's names for its objects.
    pub(super) fn arrive(
        &mut self,
        head: &mut Head,
        general: &State,
        state: &State,
    ) -> Result<State, Misfit> {
        let mut state = state.clone();
        self.fold_lists(&mut state);
        let Some(agenda) = self.roots(general, &state) else {
            return Err(Misfit::Shape("values that cannot be matched".into()));
        };
        for most in 0..=MOST_EDITS {
            let mut search =
                Search { general, arrived: &state, stable: head.stable, steps: MOST_STEPS };
            let found = self.solve(&mut search, agenda.clone(), Matching::default(), most);
            let Some(matching) = found else { continue };
            if matching.edits.is_empty() {
                return Ok(self.renamed(general, &state, &matching));
            }
            for edit in &matching.edits {
                self.edit(head, &state, *edit)?;
            }
            return Err(Misfit::Widened);
        }
        Err(Misfit::Shape("a structure that is no list".into()))
    }

    /// All pointers to allocated objects that values and other objects hold.
    fn roots(&mut self, general: &State, state: &State) -> Option<Vec<Pair>> {
        let mut pairs = Vec::new();
        for (depth, (ours, theirs)) in general.frames.iter().zip(&state.frames).enumerate() {
            let mut ids: Vec<ValueId> = theirs.values.keys().copied().collect();
            ids.sort_unstable();
            for id in ids {
                match (ours.values.get(&id), theirs.values.get(&id)) {
                    (Some(Value::Bits(general)), Some(Value::Bits(arrived))) => {
                        let at = Place::Value(depth, id);
                        pairs.push(Pair { at, general: *general, arrived: *arrived });
                    }
                    (Some(general), Some(arrived)) if general == arrived => {
                        let mut scalars = Vec::new();
                        arrived.scalars(&mut scalars);
                        self.shared(scalars, &mut pairs);
                    }
                    _ => return None,
                }
            }
            // Those of the general state are the same, or it is not met.
            let mut scalars = Vec::new();
            theirs.varargs.iter().for_each(|value| value.scalars(&mut scalars));
            self.shared(scalars, &mut pairs);
        }
        let known = general.memory.len().min(state.memory.len()) as u32;
        for instance in (0..known).map(Instance) {
            let (a, b) = (general.memory.get(instance)?, state.memory.get(instance)?);
            if !matches!(a.origin, Origin::Heap(_)) {
                self.cells(general, instance, a, b, &mut pairs)?;
            }
        }
        Some(pairs)
    }

    /// The pointers in two objects that are the same one.
    fn cells(
        &mut self,
        general: &State,
        instance: Instance,
        a: &Object,
        b: &Object,
        pairs: &mut Vec<Pair>,
    ) -> Option<()> {
        let offsets: BTreeSet<u64> = a.cells.keys().chain(b.cells.keys()).copied().collect();
        for offset in offsets {
            let (x, y) = (a.cells.get(&offset), b.cells.get(&offset));
            let mut speaks = |cell: Option<&Cell>| {
                cell.is_some_and(|cell| self.machine.speaks_of_addresses(cell.value))
            };
            if !speaks(x) && !speaks(y) {
                continue;
            }
            let arrived = *y?;
            let general = match x {
                Some(x) if x.bytes == arrived.bytes => x.value,
                Some(_) => return None,
                None => {
                    let mut copy = general.clone();
                    let bytes = u64::from(arrived.bytes);
                    self.machine.read(&mut copy, instance, offset, bytes, true).ok()?
                }
            };
            let at = Place::Cell(instance, offset, arrived.bytes);
            pairs.push(Pair { at, general, arrived: arrived.value });
        }
        Some(())
    }

    fn solve(
        &mut self,
        search: &mut Search<'_>,
        mut agenda: Vec<Pair>,
        matching: Matching,
        most: usize,
    ) -> Option<Matching> {
        let (pair, ours, theirs) = loop {
            let Some(pair) = agenda.pop() else { return Some(matching) };
            search.steps = search.steps.checked_sub(1)?;
            let ours = self.allocated(search.general, pair.general);
            let theirs = self.allocated(search.arrived, pair.arrived);
            match (ours, theirs) {
                (Pointer::None, Pointer::None) => {
                    // What stands in a variable or a cell of its own is compared later; what is behind a list, only here.
                    let is_behind = match pair.at {
                        Place::Tail(_) | Place::Closed => true,
                        Place::Value(..) | Place::Cell(..) => false,
                    };
                    if is_behind && !self.is_same(search, pair) {
                        return None;
                    }
                }
                (Pointer::Other, _) | (_, Pointer::Other) => return None,
                (ours, theirs) => break (pair, ours.object(), theirs.object()),
            }
        };
        if let (Some((general, k)), Some((arrived, l))) = (ours, theirs)
            && k == l
        {
            match matching.met.get(&arrived) {
                Some(&Met::Known(known)) if known == general => {
                    return self.solve(search, agenda, matching, most);
                }
                None if !matching.taken.contains(&general)
                    && !matching.empty.contains(&general) =>
                {
                    let mut tried = matching.clone();
                    let mut more = agenda.clone();
                    if self.meet(search, general, arrived, &mut tried, &mut more)
                        && tried.cost <= most
                        && let Some(found) = self.solve(search, more, tried, most)
                    {
                        return Some(found);
                    }
                }
                _ => {}
            }
        }
        // The general state's list is empty.
        if let Some((general, 0)) = ours
            && !matching.taken.contains(&general)
            && let Some(chain) =
                search.general.memory.get(general).and_then(|object| object.chain.clone())
        {
            let mut tried = matching.clone();
            tried.empty.insert(general);
            let may = chain.may_be_empty || tried.edits.contains(&Edit::MayBeEmpty(general));
            let is_round = self.is_round(search.general, general, &tried.empty);
            if !may && !is_round {
                tried.edits.push(Edit::MayBeEmpty(general));
                tried.cost += 1;
            }
            if !is_round && tried.cost <= most {
                let mut more = agenda.clone();
                more.push(Pair { at: Place::Tail(general), general: chain.tail, ..pair });
                if let Some(found) = self.solve(search, more, tried, most) {
                    return Some(found);
                }
            }
        }
        // A list is put in before what the general state means here.
        if let Some((arrived, 0)) = theirs {
            if let Some(&Met::New(before)) = matching.met.get(&arrived) {
                if before != pair.general || pair.at == Place::Closed {
                    return None;
                }
                let mut tried = matching;
                tried.edits.push(Edit::Point { at: pair.at, like: arrived });
                return self.solve(search, agenda, tried, most);
            }
            if matching.met.contains_key(&arrived)
                || pair.at == Place::Closed
                || matching.cost >= most
            {
                return None;
            }
            let object = search.arrived.memory.get(arrived)?;
            if !self.machine.is_stable(object.size, search.stable) {
                return None;
            }
            for link in self.links(search.arrived, arrived, pair.general) {
                let Some(behind) = next(object, link) else { continue };
                let mut tried = matching.clone();
                tried.met.insert(arrived, Met::New(pair.general));
                tried.edits.push(Edit::Insert { at: pair.at, like: arrived, link });
                tried.cost += 1;
                let mut more = agenda.clone();
                more.push(Pair { at: Place::Closed, arrived: behind, ..pair });
                let cells = side(search.arrived, object, link).cells;
                self.shared(cells.values().map(|cell| cell.value).collect(), &mut more);
                if let Some(found) = self.solve(search, more, tried, most) {
                    return Some(found);
                }
            }
        }
        None
    }

    /// Values that both states have where they cannot be renamed, as all nodes of a list: where they are addresses, what
    /// has such an address in one state must be what has it in the other.
    fn shared(&mut self, values: Vec<ExprId>, agenda: &mut Vec<Pair>) {
        for value in values {
            if self.machine.speaks_of_addresses(value) {
                agenda.push(Pair { at: Place::Closed, general: value, arrived: value });
            }
        }
    }

    /// Whether a list leads back to itself by nothing but empty lists: then there is nothing that it could mean.
    fn is_round(&mut self, state: &State, list: Instance, empty: &BTreeSet<Instance>) -> bool {
        let mut at = list;
        for _ in 0..=empty.len() {
            let chain = state.memory.get(at).and_then(|object| object.chain.clone());
            let next = chain.and_then(|chain| self.machine.pointee(chain.tail));
            match next {
                Some((next, _)) if next == list => return true,
                Some((next, 0)) if empty.contains(&next) => at = next,
                _ => return false,
            }
        }
        // Round in another place.
        true
    }

    /// Whether two values without pointers to allocated objects are the same one, from before the loop.
    fn is_same(&mut self, search: &Search<'_>, pair: Pair) -> bool {
        pair.general == pair.arrived && self.machine.is_stable(pair.general, search.stable)
    }

    /// Where the link of a node may lie that is put before `tail`.
    fn links(&self, state: &State, instance: Instance, tail: ExprId) -> Vec<u64> {
        let Some(object) = state.memory.get(instance).filter(|object| is_node(object)) else {
            return Vec::new();
        };
        if self.machine.stride(state, instance).is_some() || object.background != Background::Uninit
        {
            return Vec::new();
        }
        match &object.chain {
            Some(chain) => vec![chain.link],
            None => {
                let own = self.classes.iter().filter(|(size, _)| *size == object.size);
                let mut links: Vec<u64> = own.map(|&(_, link)| link).collect();
                if links.is_empty() {
                    // A first node: what is behind it tells.
                    let cells = object.cells.iter().filter(|(_, cell)| cell.value == tail);
                    links.extend(cells.map(|(&offset, _)| offset));
                }
                links
            }
        }
    }

    /// Takes two objects for the same one: what they hold has to match.
    fn meet(
        &mut self,
        search: &Search<'_>,
        general: Instance,
        arrived: Instance,
        matching: &mut Matching,
        agenda: &mut Vec<Pair>,
    ) -> bool {
        let (Some(a), Some(b)) =
            (search.general.memory.get(general), search.arrived.memory.get(arrived))
        else {
            return false;
        };
        if (a.life, a.size, a.background) != (b.life, b.size, b.background)
            || !self.machine.is_stable(a.size, search.stable)
        {
            return false;
        }
        // Nodes of which different things are known are told apart, if known nodes are.
        if self.keeps_known && self.machine.holds_other_constants(a, b) {
            return false;
        }
        matching.met.insert(arrived, Met::Known(general));
        matching.taken.insert(general);
        let link = match (&a.chain, &b.chain) {
            (None, None) => {
                return a.origin == b.origin
                    && self.cells(search.general, general, a, b, agenda).is_some();
            }
            (Some(x), Some(y)) if x.link == y.link => {
                if y.may_be_empty && !x.may_be_empty {
                    let is_round =
                        self.machine.pointee(x.tail).is_some_and(|(to, _)| to == general);
                    if is_round {
                        return false;
                    }
                    matching.edits.push(Edit::MayBeEmpty(general));
                    matching.cost += 1;
                }
                x.link
            }
            (Some(x), None) => x.link,
            (None, Some(y)) => {
                if !is_node(a) || a.background != Background::Uninit {
                    return false;
                }
                matching.edits.push(Edit::ToList(general, y.link));
                matching.cost += 1;
                if y.may_be_empty {
                    matching.edits.push(Edit::MayBeEmpty(general));
                    matching.cost += 1;
                }
                y.link
            }
            (Some(_), Some(_)) => return false,
        };
        // Of an array of which one element is followed, the cells are that element's.
        let is_array = self.machine.stride(search.general, general).is_some()
            || self.machine.stride(search.arrived, arrived).is_some();
        if is_array {
            return false;
        }
        let (Some(ours), Some(theirs)) = (next(a, link), next(b, link)) else { return false };
        if self.machine.smt.pool.width(theirs) != self.machine.pointer_bits {
            return false;
        }
        agenda.push(Pair { at: Place::Tail(general), general: ours, arrived: theirs });
        let (one, other) = (side(search.general, a, link), side(search.arrived, b, link));
        if !self.machine.has_common_node(&one, &other) {
            return false;
        }
        self.shared(one.cells.values().map(|cell| cell.value).collect(), agenda);
        let limits = self.limits();
        let fits = a.chain.as_ref().is_some_and(|chain| {
            let cells = one.cells.iter();
            let mut is_met = cells.clone().all(|(offset, cell)| {
                let placeholder = self.machine.placeholder(*offset, cell.bytes);
                match other.cells.get(offset) {
                    Some(own) if cell.value == placeholder => own.bytes == cell.bytes,
                    Some(own) => own == cell && self.machine.is_stable(cell.value, search.stable),
                    None => false,
                }
            });
            for &fact in &chain.facts {
                is_met = is_met && self.machine.holds_of(&other, &one.cells, fact, &limits);
            }
            is_met
        });
        if !fits {
            matching.edits.push(Edit::Node(general, arrived));
        }
        true
    }
}
