//! From the solved graph to the frozen answer: every set once more, in locations as they are folded now,
//! without those that "anywhere in the object" covers.

use super::constraints::{Node, Slot};
use super::generate::Generator;
use super::graph::Graph;
use super::memory::EVERYWHERE;
use super::objects::{Location, LocationId, ObjectId};
use super::result::{Callees, Content, PointsTo, Precision, Statistics};
use super::sets::{EMPTY, SetId, Sets};
use super::shape::Place;
use crate::ir::{ConstId, FuncId, InstId, Operand, Program, Type, ValueId};
use cranelift_entity::packed_option::PackedOption;
use cranelift_entity::{EntityRef, PrimaryMap, SecondaryMap};
use rustc_hash::{FxHashMap, FxHashSet};

/// What of the generator is needed at the end.
pub(super) struct Names {
    pub root: SecondaryMap<ValueId, PackedOption<Node>>,
    pub clones: Vec<(ValueId, Node)>,
    pub consts: Vec<(ConstId, Node)>,
    pub reachable: Vec<FuncId>,
    pub indirect_calls: usize,
}

impl Names {
    pub fn of(generator: &mut Generator<'_>) -> Self {
        let mut consts: Vec<(ConstId, Node)> = generator
            .consts
            .iter()
            .filter_map(|(&constant, nodes)| Some((constant, nodes.as_ref()?.first)))
            .collect();
        consts.sort_unstable();
        let mut clones = std::mem::take(&mut generator.clones);
        clones.sort_unstable();
        Names {
            root: std::mem::take(&mut generator.root),
            clones,
            consts,
            reachable: std::mem::take(&mut generator.reached).into_iter().collect(),
            indirect_calls: generator.constraints.calls.len(),
        }
    }
}

struct Freezer<'g, 'p> {
    graph: &'g mut Graph<'p>,
    sets: Sets,
    known: FxHashMap<SetId, SetId>,
    objects: FxHashSet<ObjectId>,
}

impl Freezer<'_, '_> {
    fn set(&mut self, set: SetId) -> SetId {
        if set == EMPTY {
            return EMPTY;
        }
        if let Some(&known) = self.known.get(&set) {
            return known;
        }
        let objects = &self.graph.objects;
        let mut members: Vec<LocationId> = Vec::with_capacity(self.graph.sets.count(set));
        self.objects.clear();
        for member in self.graph.sets.iter(set) {
            let location = LocationId::from_u32(member);
            let data = objects.locations[location];
            if data.place == Place::Any {
                self.objects.insert(data.object);
            }
            members.push(location);
        }
        members.retain(|&location| {
            let data = objects.locations[location];
            data.place == Place::Any || !self.objects.contains(&data.object)
        });
        members.sort_unstable();
        let members: Vec<u32> = members.iter().map(|location| location.as_u32()).collect();
        let frozen = self.sets.from_sorted(&members);
        self.known.insert(set, frozen);
        frozen
    }

    fn node(&mut self, node: Node) -> SetId {
        let set = self.graph.held(node);
        self.set(set)
    }
}

/// The answer of a solved graph.
pub(super) fn freeze(
    program: &Program,
    mut graph: Graph<'_>,
    names: Names,
    precision: Precision,
    unknown_integers: Vec<InstId>,
    mut statistics: Statistics,
) -> PointsTo {
    statistics.final_nodes =
        graph.parent.iter().enumerate().filter(|(index, node)| node.index() == *index).count();
    statistics.edges = graph.edges;
    statistics.waves = graph.waves;
    statistics.work = graph.done();
    statistics.memory = graph.peak.max(graph.bytes());
    let mut freezer = Freezer {
        graph: &mut graph,
        sets: Sets::new(),
        known: FxHashMap::default(),
        objects: FxHashSet::default(),
    };
    let mut values: SecondaryMap<ValueId, SetId> = SecondaryMap::new();
    for (value, node) in names.root.iter() {
        if let Some(node) = node.expand() {
            values[value] = freezer.node(node);
        }
    }
    for &(value, node) in &names.clones {
        let set = freezer.node(node);
        values[value] = freezer.sets.union(values[value], set);
    }
    let mut consts = FxHashMap::default();
    for &(constant, node) in &names.consts {
        consts.insert(constant, freezer.node(node));
    }
    let mut contents: SecondaryMap<ObjectId, Content> = SecondaryMap::new();
    for object in freezer.graph.objects.objects.keys() {
        let memory = freezer.graph.memory[object].clone();
        let mut content = Content::default();
        for cell in memory.cells {
            content.cells.push((cell.offset, freezer.node(cell.node)));
        }
        for gate in memory.gates {
            if let Some(write) = gate.write {
                content.spreads.push((gate.spread, freezer.node(write)));
            }
        }
        if object == freezer.graph.objects.unknown {
            let all = freezer.node(freezer.graph.world.escaped);
            content.spreads.push((EVERYWHERE, all));
        }
        contents[object] = content;
    }
    // What libraries keep they may read and write, though it comes back only by ways that are known.
    let mut escaped = freezer.node(freezer.graph.world.escaped);
    let mut kept: Vec<(Slot, Node)> =
        freezer.graph.world.slots.iter().map(|(&slot, &node)| (slot, node)).collect();
    kept.sort_unstable();
    for (_, node) in kept.into_iter().filter(|(slot, _)| slot.is_foreign()) {
        let held = freezer.node(node);
        escaped = freezer.sets.union(escaped, held);
    }
    let mut sets = freezer.sets;
    sets.forget_results();
    measure(program, &values, &sets, &graph.objects.locations, &mut statistics);
    statistics.objects = graph.objects.objects.len();
    statistics.locations = graph.objects.locations.len();
    statistics.sets = sets.len();
    statistics.indirect_calls = names.indirect_calls;

    let mut calls: FxHashMap<InstId, Callees> = FxHashMap::default();
    for &(inst, func) in &graph.world.edges {
        calls.entry(inst).or_default().funcs.push(func);
    }
    calls.values_mut().for_each(|callees| callees.funcs.sort_unstable());
    for &inst in &graph.world.unknown_calls {
        calls.entry(inst).or_default().unknown = true;
    }
    PointsTo {
        precision,
        sets,
        values,
        consts,
        contents,
        calls,
        escaped,
        pointer_bytes: i64::from(program.machine.pointer_bits.max(8) / 8),
        externals: graph.world.externals.iter().copied().collect(),
        called_by_unknown: graph.world.called_by_unknown.iter().copied().collect(),
        filtered: graph.world.filtered.iter().copied().collect(),
        unknown_integers,
        reachable: names.reachable,
        statistics,
        objects: graph.objects.objects,
        locations: graph.objects.locations,
        contexts: graph.objects.contexts,
    }
}

fn measure(
    program: &Program,
    values: &SecondaryMap<ValueId, SetId>,
    sets: &Sets,
    locations: &PrimaryMap<LocationId, Location>,
    statistics: &mut Statistics,
) {
    let mut known: FxHashMap<SetId, usize> = FxHashMap::default();
    let mut objects = |set: SetId| {
        *known.entry(set).or_insert_with(|| {
            let members = sets.iter(set).map(LocationId::from_u32);
            members.map(|member| locations[member].object).collect::<FxHashSet<_>>().len()
        })
    };
    let (mut sum, mut sum_of_objects) = (0, 0);
    for value in program.values.keys() {
        let pointer =
            matches!(program.types.get(program.operand_type(Operand::Value(value))), Type::Ptr);
        let count = sets.count(values[value]);
        if pointer && count > 0 {
            statistics.pointers += 1;
            sum += count;
            sum_of_objects += objects(values[value]);
            statistics.largest = statistics.largest.max(count);
        }
    }
    if statistics.pointers > 0 {
        statistics.average = sum as f64 / statistics.pointers as f64;
        statistics.average_objects = sum_of_objects as f64 / statistics.pointers as f64;
    }
}
