//! The coarsest sound answer, for when the budget is spent: every value that can hold a pointer may point
//! anywhere into every object, every cell may hold any of it, every indirect call may call every
//! function whose address is taken.

use super::Options;
use super::calls;
use super::constraints::Sink;
use super::freeze::Names;
use super::generate::Generator;
use super::memory::EVERYWHERE;
use super::objects::{ObjectKind, Objects};
use super::result::{Callees, Content, PointsTo, Precision, Statistics};
use super::sets::Sets;
use super::wrappers::Wrappers;
use crate::ir::{FuncId, InstId, Program};
use cranelift_entity::SecondaryMap;
use rustc_hash::FxHashMap;
use std::time::Instant;

pub(super) fn everything(program: &Program, options: &Options, started: Instant) -> PointsTo {
    let objects = Objects::new(program, true, options.merge_literals);
    let mut generator = Generator::new(program, objects, Wrappers::default());
    generator.run(options.all_run);
    let mut taken: Vec<FuncId> = generator.taken.iter().copied().collect();
    taken.sort_unstable();
    let mut indirect: Vec<InstId> = Vec::new();
    for call in generator.world.calls.keys() {
        indirect.push(generator.world.calls[call].inst);
        for &func in &taken {
            // Creates the objects that the callee may allocate.
            calls::resolve(&mut generator, call, func);
        }
    }
    let names = Names::of(&mut generator);
    let locations: Vec<u32> = {
        let ids: Vec<_> = generator.objects().objects.keys().collect();
        ids.into_iter().map(|object| generator.objects.any(object).as_u32()).collect()
    };
    let mut locations = locations;
    locations.sort_unstable();
    let mut sets = Sets::new();
    let all = sets.from_sorted(&locations);
    sets.forget_results();
    let mut values = SecondaryMap::new();
    let given = names.root.iter().filter(|(_, node)| node.is_some()).map(|(value, _)| value);
    given.for_each(|value| values[value] = all);
    let consts = names.consts.iter().map(|&(constant, _)| (constant, all)).collect();
    let mut contents = SecondaryMap::new();
    for (id, object) in generator.objects.objects.iter() {
        if !matches!(object.kind, ObjectKind::Func(_) | ObjectKind::Literals) {
            contents[id] = Content { cells: Vec::new(), spreads: vec![(EVERYWHERE, all)] };
        }
    }
    let mut found: FxHashMap<InstId, Callees> = FxHashMap::default();
    for &(inst, func) in &generator.world.edges {
        found.entry(inst).or_default().funcs.push(func);
    }
    found.values_mut().for_each(|callees| callees.funcs.sort_unstable());
    let unknown = generator.world.unknown_calls.iter().chain(&indirect);
    unknown.for_each(|&inst| found.entry(inst).or_default().unknown = true);
    let count = locations.len();
    PointsTo {
        precision: Precision::Nothing,
        sets,
        values,
        consts,
        contents,
        calls: found,
        escaped: all,
        pointer_bytes: i64::from(program.machine.pointer_bits.max(8) / 8),
        externals: generator.world.externals.iter().copied().collect(),
        called_by_unknown: taken,
        filtered: generator.world.filtered.iter().copied().collect(),
        unknown_integers: generator.int_to_ptr.iter().map(|&(inst, _)| inst).collect(),
        reachable: names.reachable,
        statistics: Statistics {
            nodes: generator.constraints.traits.len(),
            objects: generator.objects.objects.len(),
            locations: count,
            average: count as f64,
            average_objects: count as f64,
            largest: count,
            indirect_calls: names.indirect_calls,
            time: started.elapsed(),
            ..Statistics::default()
        },
        objects: generator.objects.objects,
        locations: generator.objects.locations,
        contexts: generator.objects.contexts,
    }
}
