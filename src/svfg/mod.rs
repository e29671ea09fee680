//! The sparse value-flow graph: where each value and each content of memory goes, over the whole program.
//!
//! - [`cells`], [`regions`]: memory, divided by who accesses it together.
//! - [`effects`], [`externals`], [`modref`]: what instructions, library functions and whole functions read and
//!   write, bottom-up over the call graph.
//! - [`bundles`], [`strong`], [`ssa`]: memory SSA of each function: χ where memory may be written, φ where
//!   control joins, formal and actual ins and outs at the borders.
//! - [`graph`], [`build`], [`link`]: nodes and edges, stored as compressed rows.
//! - [`slice`]: what a value comes from and what it reaches, calls and returns matched.
//! - [`demand`]: which instances a pointer has at the end of a path, with strong updates along it.
//!
//! Soundness: every flow of an execution for which the points-to sets hold is a path in the graph. Calls happen in
//! sequence; a thread or handler counts as called where it is started. Where a function would need too many μ and
//! χ its memory is followed more coarsely, and it is listed in [`Svfg::coarse`].
//!
//! Compressed rows or petgraph's `Graph<Node, Label>`? Measured once on lua's graph (90 k nodes, 169 k edges):
//!
//! | | memory | build | visit every edge both ways |
//! |---|---|---|---|
//! | petgraph | 5.1 MB | 1 to 20 ms, edges as they come | 5.5 ms (warm) |
//! | rows | 4.4 MB | 23 to 42 ms, edges sorted and without repetition | 0.8 ms (warm) |
//!
//! A graph is built once and sliced for every obligation, and slices look edges up by their call, for which rows
//! can be sorted: rows it is.

pub mod build;
pub mod bundles;
pub mod cells;
pub mod demand;
pub mod dump;
pub mod effects;
pub mod externals;
pub mod graph;
pub mod link;
pub mod modref;
pub mod regions;
pub mod slice;
pub mod ssa;
pub mod strong;

use crate::ir::{FuncId, InstId, Program, ValueId};
use crate::pta::PointsTo;
use crate::pta::sets::{EMPTY, SetId, Sets};
use build::Builder;
use bundles::Bundle;
use cells::{Cell, CellId, Cells, Extent};
use cranelift_entity::packed_option::PackedOption;
use cranelift_entity::{PrimaryMap, SecondaryMap};
use effects::{Effects, Touch};
pub use graph::{BundleId, Flow, Graph, Node, NodeId};
use modref::ModRef;
use regions::{Event, Region, RegionId};
use rustc_hash::{FxHashMap, FxHashSet};

/// How the graph is to be built.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// Parts of objects are followed on their own. Without, a flow between any two parts of an object is
    /// seen, even one by an index outside of its array.
    pub fields: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options { fields: true }
    }
}

/// The graph with what its memory nodes stand for.
#[derive(Debug)]
pub struct Svfg {
    pub graph: Graph,
    pub cells: PrimaryMap<CellId, Cell>,
    pub regions: PrimaryMap<RegionId, Region>,
    pub bundles: PrimaryMap<BundleId, Bundle>,
    /// Functions whose memory is followed more coarsely than asked for.
    pub coarse: Vec<FuncId>,
    sets: Sets,
    summaries: SecondaryMap<FuncId, ModRef>,
    values: SecondaryMap<ValueId, PackedOption<NodeId>>,
    uses: SecondaryMap<InstId, PackedOption<NodeId>>,
}

/// Builds the graph of all functions that may run.
pub fn build(program: &Program, answer: &PointsTo, options: Options) -> Svfg {
    let effects = Effects::new(program, answer);
    let touches = touches(program, answer, &effects);
    let scalars: FxHashSet<_> = touches.iter().flat_map(|(_, t)| scalars(t)).collect();
    let cells = Cells::new(program, answer, &scalars, options.fields);

    let mut extents: Vec<Extent> = touches
        .iter()
        .flat_map(|(_, touch)| touch.reads.iter().chain(&touch.writes))
        .copied()
        .collect();
    extents.sort_unstable();
    extents.dedup();
    let mut sets = Sets::new();
    let (regions, known) = regions::divide(&cells, &extents, &mut sets);

    let mut events: FxHashMap<FuncId, Vec<Event>> = FxHashMap::default();
    for (inst, touch) in &touches {
        let mut all = |extents: &[Extent]| {
            extents.iter().fold(EMPTY, |sum, extent| sets.union(sum, known[extent]))
        };
        let (reads, writes) = (all(&touch.reads), all(&touch.writes));
        let event = Event { inst: *inst, reads, writes, overwrites: false };
        events.entry(program.func_of(*inst)).or_default().push(event);
    }
    let summaries = modref::summarise(program, answer, &events, &regions, &mut sets);
    let overwriting: FxHashSet<InstId> = touches
        .iter()
        .filter(|(inst, touch)| {
            strong::overwrites(program, answer, &cells, &summaries, *inst, touch)
        })
        .map(|(inst, _)| *inst)
        .collect();
    for event in events.values_mut().flatten() {
        event.overwrites = overwriting.contains(&event.inst);
    }
    drop(touches);

    let mut builder = Builder::new(program, answer, &regions, &summaries, sets);
    for &func in &answer.reachable {
        builder.values_of(func);
    }
    for &func in &answer.reachable {
        builder.memory_of(func, events.get(&func).map_or(&[], Vec::as_slice));
    }
    builder.link();
    let Builder { nodes, edges, values, uses, bundler, mut sets, .. } = builder;
    sets.forget_results();
    Svfg {
        graph: Graph::new(nodes, edges),
        cells: cells.cells,
        bundles: bundler.bundles,
        coarse: bundler.coarse,
        sets,
        values,
        uses,
        regions,
        summaries,
    }
}

fn touches(program: &Program, answer: &PointsTo, effects: &Effects<'_>) -> Vec<(InstId, Touch)> {
    let funcs = answer.reachable.iter().flat_map(|&func| program.funcs[func].blocks.iter());
    let insts = funcs.flat_map(|block| program.blocks[block].insts.iter());
    let touches = insts.map(|inst| (inst, effects.of(inst)));
    touches.filter(|(_, t)| !t.reads.is_empty() || !t.writes.is_empty()).collect()
}

/// The accesses of known size.
fn scalars(touch: &Touch) -> impl Iterator<Item = (SetId, u64)> + '_ {
    touch.reads.iter().chain(&touch.writes).filter_map(|extent| match *extent {
        Extent::Bytes(set, size) => Some((set, size)),
        Extent::Objects(_) | Extent::Reach(_) | Extent::Object(_) => None,
    })
}

impl Svfg {
    /// The node of an SSA value, if the function it belongs to may run.
    pub fn value(&self, value: ValueId) -> Option<NodeId> {
        self.values[value].expand()
    }

    /// The node of an instruction: its result's, or its own if it has none.
    pub fn inst(&self, program: &Program, inst: InstId) -> Option<NodeId> {
        match program.insts[inst].result.expand() {
            Some(result) => self.value(result),
            None => self.uses[inst].expand(),
        }
    }

    /// The cells of a bundle, ascending.
    pub fn cells_of(&self, bundle: BundleId) -> Vec<CellId> {
        let regions = self.sets.iter(self.bundles[bundle].regions);
        let cells = regions.flat_map(|r| self.regions[RegionId::from_u32(r)].cells.iter().copied());
        let mut cells: Vec<CellId> = cells.collect();
        cells.sort_unstable();
        cells
    }

    /// What the function, with all it calls, may change of what its callers see.
    pub fn modified(&self, func: FuncId) -> impl Iterator<Item = CellId> + '_ {
        let regions = self.sets.iter(self.summaries[func].modified);
        regions.flat_map(|region| self.regions[RegionId::from_u32(region)].cells.iter().copied())
    }

    /// Whether the function may call itself.
    pub fn is_recursive(&self, func: FuncId) -> bool {
        self.summaries[func].recursive
    }

    /// Bytes held, roughly.
    pub fn bytes(&self) -> usize {
        self.graph.bytes() + self.sets.bytes() + self.bundles.len() * size_of::<Bundle>()
    }
}
