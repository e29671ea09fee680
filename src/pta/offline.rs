//! Before solving: find nodes that must end with equal sets, and give them one node; drop those that
//! must stay empty and numbers nothing comes of.
//!
//! Value numbering over the constraints (Hardekopf & Lin, "Exploiting pointer and location equivalence
//! to optimize pointer analysis", SAS 2007): a node's label is made of what flows into it; equal labels
//! mean equal sets. A node that is given more while solving has a label of its own. Loads through
//! pointers with one label and of one width have one label, too.

use super::constraints::{Constraints, MemCopy, Node, Traits};
use super::objects::{LocationId, Step};
use super::tarjan::components;
use cranelift_entity::EntityRef;
use rustc_hash::FxHashMap;

/// The constraints over fewer nodes.
#[derive(Debug)]
pub struct Reduced {
    pub constraints: Constraints,
    /// The node that stands for each.
    pub place: Vec<Node>,
    /// Stands for all nodes that stay empty.
    pub nothing: Node,
    pub steps: Vec<Step>,
    /// As [`Constraints::steps`], with the step's index.
    pub stepping: Vec<(Node, Node, u32)>,
    /// Nodes whose pointers are only ever followed to data: what they hold of functions is nobody's concern.
    pub data: Vec<bool>,
}

/// Lists of pairs grouped by their first, in their order.
struct Grouped<T> {
    start: Vec<u32>,
    items: Vec<T>,
}

impl<T: Copy> Grouped<T> {
    fn new(nodes: usize, pairs: impl Iterator<Item = (Node, T)> + Clone) -> Self {
        let mut start = vec![0u32; nodes + 2];
        pairs.clone().for_each(|(key, _)| start[key.index() + 2] += 1);
        (1..start.len()).for_each(|at| start[at] += start[at - 1]);
        let mut items = Vec::with_capacity(start[nodes + 1] as usize);
        if let Some((_, any)) = pairs.clone().next() {
            items.resize(start[nodes + 1] as usize, any);
        }
        for (key, item) in pairs {
            let at = &mut start[key.index() + 1];
            items[*at as usize] = item;
            *at += 1;
        }
        Grouped { start, items }
    }

    fn of(&self, key: usize) -> &[T] {
        &self.items[self.start[key] as usize..self.start[key + 1] as usize]
    }
}

/// What flows into a node.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Source {
    Address(LocationId),
    Copy(Node),
    Step(Node, u32),
    Load(Node, u32),
}

impl Source {
    fn node(self) -> Option<Node> {
        match self {
            Source::Address(_) => None,
            Source::Copy(node) | Source::Step(node, _) | Source::Load(node, _) => Some(node),
        }
    }
}

/// What a label is made of.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Label {
    Address(LocationId),
    Step(u32, u32),
    Load(u32, u32),
    Union(Box<[u32]>),
}

const EMPTY: u32 = 0;
const UNLABELLED: u32 = u32::MAX;

/// Numbers that no store, call or pointer comes of.
fn useless(constraints: &Constraints, passed: &[Node]) -> Vec<bool> {
    let nodes = constraints.traits.len();
    let mut useless: Vec<bool> = constraints.traits.values().map(|t| t.carrier).collect();
    let copies = constraints.copies.iter().map(|&(from, to)| (to, from));
    let steps = constraints.steps.iter().map(|&(from, to, _)| (to, from));
    let into = Grouped::new(nodes, copies.chain(steps));
    let mut work: Vec<Node> = Vec::new();
    work.extend(constraints.traits.iter().filter(|(_, t)| !t.carrier).map(|(node, _)| node));
    work.extend(constraints.stores.iter().flat_map(|&(to, from, _)| [to, from]));
    work.extend(constraints.loads.iter().map(|&(from, _, _)| from));
    work.extend(constraints.fills.iter().map(|&(from, _)| from));
    work.extend(constraints.memory_copies.iter().flat_map(|copy| [copy.to, copy.from]));
    work.extend(constraints.calls.iter().map(|&(target, _)| target));
    work.extend(passed);
    work.iter().for_each(|node| useless[node.index()] = false);
    while let Some(node) = work.pop() {
        for &from in into.of(node.index()) {
            if std::mem::take(&mut useless[from.index()]) {
                work.push(from);
            }
        }
    }
    useless
}

/// Nodes whose pointers are followed and nothing else: loaded from, stored to, moved to a member or an element, or
/// copied to nodes of that kind. What is stored, passed to a call that waits for its callee, called, or not used at
/// all is not among them.
fn only_followed(constraints: &Constraints, handed_on: &[Node]) -> Vec<bool> {
    let nodes = constraints.traits.len();
    let mut data = vec![false; nodes];
    let used = constraints.loads.iter().map(|&(from, _, _)| from);
    let used = used.chain(constraints.stores.iter().map(|&(to, _, _)| to));
    let used = used.chain(constraints.steps.iter().map(|&(from, _, _)| from));
    let used = used.chain(constraints.memory_copies.iter().flat_map(|copy| [copy.to, copy.from]));
    used.chain(constraints.copies.iter().map(|&(from, _)| from))
        .for_each(|node| data[node.index()] = true);
    let kept = constraints.stores.iter().map(|&(_, from, _)| from);
    let kept = kept.chain(constraints.fills.iter().map(|&(from, _)| from));
    let kept = kept.chain(constraints.calls.iter().map(|&(target, _)| target));
    kept.chain(handed_on.iter().copied()).for_each(|node| data[node.index()] = false);
    let copies = constraints.copies.iter().map(|&(from, to)| (to, from));
    // A step that may be arithmetic on an integer may keep a function's address for later.
    let steps = constraints.steps.iter().filter(|(_, _, step)| !step.is_in_data());
    let into = Grouped::new(nodes, copies.chain(steps.map(|&(from, to, _)| (to, from))));
    let mut work: Vec<usize> = (0..nodes).filter(|&node| !data[node]).collect();
    while let Some(node) = work.pop() {
        for from in into.of(node) {
            if std::mem::take(&mut data[from.index()]) {
                work.push(from.index());
            }
        }
    }
    data
}

/// Labels all nodes, those without predecessors first.
fn label(constraints: &Constraints, sources: &Grouped<Source>) -> Vec<u32> {
    let nodes = constraints.traits.len();
    // Cycles of copies have one label.
    let mut leader: Vec<u32> = (0..nodes as u32).collect();
    let mut members: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
    let copy = |node: u32, at: usize| match sources.of(node as usize).get(at)? {
        Source::Copy(from) => Some(from.as_u32()),
        _ => Some(node),
    };
    components(nodes, copy, |component| {
        if let [_, _, ..] = component {
            let least = component.iter().copied().min().unwrap_or(0);
            component.iter().for_each(|&node| leader[node as usize] = least);
            members.insert(least, component.to_vec());
        }
    });
    let mut labels = vec![UNLABELLED; nodes];
    let mut known: FxHashMap<Label, u32> = FxHashMap::default();
    let mut next = EMPTY + 1;
    let mut parts: Vec<u32> = Vec::new();
    let alone = |node: u32| [node];
    let all = |node: u32, at: usize| {
        let from = match members.get(&node) {
            Some(group) => nth_source(sources, group, at)?,
            None => *sources.of(node as usize).get(at)?,
        };
        Some(from.node().map_or(node, |from| leader[from.index()]))
    };
    components(nodes, all, |component| {
        for &node in component.iter().filter(|&&node| leader[node as usize] == node) {
            let single = alone(node);
            let group = members.get(&node).map_or(&single[..], |group| group);
            let mut own = group.iter().any(|&n| constraints.traits[Node::new(n as usize)].open);
            parts.clear();
            for &source in group.iter().flat_map(|&n| sources.of(n as usize)) {
                let from = source.node().map(|from| leader[from.index()]);
                if matches!(source, Source::Copy(_)) && from == Some(node) {
                    continue;
                }
                let from = from.map(|from| labels[from as usize]);
                if from == Some(UNLABELLED) {
                    own = true; // around a cycle
                    break;
                }
                let made = match (source, from) {
                    (_, Some(EMPTY)) => continue,
                    (Source::Copy(_), Some(label)) => {
                        parts.push(label);
                        continue;
                    }
                    (Source::Step(_, step), Some(label)) => Label::Step(label, step),
                    (Source::Load(_, width), Some(label)) => Label::Load(label, width),
                    (Source::Address(location), _) => Label::Address(location),
                    (Source::Copy(_) | Source::Step(..) | Source::Load(..), None) => continue,
                };
                parts.push(*known.entry(made).or_insert_with(|| fresh(&mut next)));
            }
            parts.sort_unstable();
            parts.dedup();
            let label = match parts[..] {
                _ if own => fresh(&mut next),
                [] => EMPTY,
                [only] => only,
                _ => *known
                    .entry(Label::Union(parts.as_slice().into()))
                    .or_insert_with(|| fresh(&mut next)),
            };
            group.iter().for_each(|&n| labels[n as usize] = label);
        }
    });
    labels
}

fn fresh(next: &mut u32) -> u32 {
    *next += 1;
    *next - 1
}

/// The `at`-th source of a group of nodes.
fn nth_source(sources: &Grouped<Source>, group: &[u32], at: usize) -> Option<Source> {
    let mut at = at;
    for &node in group {
        let own = sources.of(node as usize);
        match own.get(at) {
            Some(&source) => return Some(source),
            None => at -= own.len(),
        }
    }
    None
}

/// Reduces the constraints; `passed` are the nodes indirect calls pass on, `handed_on` all that calls resolved while
/// solving take from.
pub fn reduce(mut old: Constraints, passed: &[Node], handed_on: &[Node]) -> Reduced {
    let nodes = old.traits.len();
    let useless = useless(&old, passed);
    let useful = |node: Node| !useless[node.index()];
    old.copies.retain(|&(from, to)| useful(to) && from != to);
    old.steps.retain(|&(_, to, _)| useful(to));
    old.loads.retain(|&(_, to, _)| useful(to));

    let mut data = only_followed(&old, handed_on);
    let nothing = old.traits.push(Traits { carrier: false, open: false });
    let mut step_table = Vec::new();
    let mut known: FxHashMap<Step, u32> = FxHashMap::default();
    let mut stepping = Vec::with_capacity(old.steps.len());
    for (from, to, step) in old.steps.drain(..) {
        let id = *known.entry(step).or_insert_with_key(|step| {
            step_table.push(step.clone());
            step_table.len() as u32 - 1
        });
        stepping.push((from, to, id));
    }
    let sources = {
        let addresses = old.addresses.iter().map(|&(node, at)| (node, Source::Address(at)));
        let copies = old.copies.iter().map(|&(from, to)| (to, Source::Copy(from)));
        let steps = stepping.iter().map(|&(from, to, step)| (to, Source::Step(from, step)));
        let loads = old.loads.iter().map(|&(from, to, width)| (to, Source::Load(from, width)));
        Grouped::new(nodes, addresses.chain(copies).chain(steps).chain(loads))
    };
    let labels = label(&old, &sources);
    data.push(false);
    let mut by_label: FxHashMap<(u32, bool), Node> = FxHashMap::default();
    let mut place = vec![nothing; nodes + 1];
    for (index, &label) in labels.iter().enumerate() {
        let node = Node::new(index);
        if label != EMPTY && useful(node) {
            place[index] = *by_label.entry((label, data[index])).or_insert(node);
        }
    }
    let mut reduced =
        Reduced { constraints: old, place, nothing, steps: step_table, stepping: Vec::new(), data };
    rewrite(stepping, &mut reduced);
    reduced
}

fn rewrite(stepping: Vec<(Node, Node, u32)>, reduced: &mut Reduced) {
    let (place, nothing) = (&reduced.place, reduced.nothing);
    let constraints = &mut reduced.constraints;
    let one = |node: Node| Some(place[node.index()]).filter(|&node| node != nothing);
    let both = |a: Node, b: Node| Some((one(a)?, one(b)?));
    let addresses = constraints.addresses.iter();
    constraints.addresses = addresses.filter_map(|&(node, at)| Some((one(node)?, at))).collect();
    let copies = constraints.copies.iter();
    constraints.copies = copies.filter_map(|&(a, b)| both(a, b).filter(|(a, b)| a != b)).collect();
    let fills = constraints.fills.iter();
    constraints.fills = fills.filter_map(|&(node, at)| Some((one(node)?, at))).collect();
    let calls = constraints.calls.iter();
    constraints.calls = calls.filter_map(|&(node, call)| Some((one(node)?, call))).collect();
    let memory = constraints.memory_copies.iter().filter_map(|copy| {
        let (to, from) = both(copy.to, copy.from)?;
        Some(MemCopy { to, from, ..*copy })
    });
    constraints.memory_copies = memory.collect();
    let moved = |list: &[(Node, Node, u32)]| -> Vec<(Node, Node, u32)> {
        let mut list: Vec<_> =
            list.iter().filter_map(|&(a, b, x)| both(a, b).map(|(a, b)| (a, b, x))).collect();
        list.sort_unstable();
        list.dedup();
        list
    };
    let (loads, stores) = (moved(&constraints.loads), moved(&constraints.stores));
    constraints.loads = gather(constraints, &loads, |node, meeting| (meeting, node));
    constraints.stores = gather(constraints, &stores, |node, meeting| (node, meeting));
    constraints.copies.sort_unstable();
    constraints.copies.dedup();
    constraints.addresses.sort_unstable();
    constraints.addresses.dedup();
    reduced.stepping = moved(&stepping);
    let all = reduced.constraints.traits.len();
    let made = reduced.place.len()..all;
    reduced.data.resize(all, false);
    reduced.place.extend(made.map(Node::new));
}

/// Several loads (or stores) of one width through one pointer go through one meeting point, so that
/// the cells behind the pointer are connected once.
fn gather(
    new: &mut Constraints,
    accesses: &[(Node, Node, u32)],
    edge: impl Fn(Node, Node) -> (Node, Node),
) -> Vec<(Node, Node, u32)> {
    let mut sorted: Vec<(Node, u32, Node)> = accesses.iter().map(|&(p, v, w)| (p, w, v)).collect();
    sorted.sort_unstable();
    let mut out = Vec::new();
    for group in sorted.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
        match *group {
            [(pointer, width, value)] => out.push((pointer, value, width)),
            [(pointer, width, _), ..] => {
                let meeting = new.traits.push(Traits { carrier: false, open: true });
                new.copies.extend(group.iter().map(|&(_, _, value)| edge(value, meeting)));
                out.push((pointer, meeting, width));
            }
            [] => {}
        }
    }
    out
}
