//! Puts the graph together: nodes and edges of SSA values, then each function's memory, then what flows
//! between functions.

use super::bundles::{Bundler, Local, Uses};
use super::graph::{BundleId, Edge, Flow, Node, NodeId};
use super::modref::{Calls, ModRef};
use super::regions::{Event, Region, RegionId};
use super::ssa::{Renamer, Step};
use crate::ir::{Callee, FuncId, Inst, InstId, Operand, Program, ValueId};
use crate::pta::PointsTo;
use crate::pta::sets::{EMPTY, SetId, Sets};
use cranelift_entity::packed_option::PackedOption;
use cranelift_entity::{PrimaryMap, SecondaryMap};
use rustc_hash::FxHashMap;

/// The graph while it grows.
#[derive(Debug)]
pub struct Builder<'a> {
    pub program: &'a Program,
    pub answer: &'a PointsTo,
    pub regions: &'a PrimaryMap<RegionId, Region>,
    pub summaries: &'a SecondaryMap<FuncId, ModRef>,
    pub sets: Sets,
    pub bundler: Bundler,
    pub nodes: PrimaryMap<NodeId, Node>,
    pub(super) edges: Vec<Edge>,
    pub values: SecondaryMap<ValueId, PackedOption<NodeId>>,
    pub uses: SecondaryMap<InstId, PackedOption<NodeId>>,
    pub formal_ins: SecondaryMap<BundleId, PackedOption<NodeId>>,
    pub formal_outs: SecondaryMap<BundleId, PackedOption<NodeId>>,
    /// By call, the bundles of the caller.
    pub actual_ins: FxHashMap<InstId, Vec<(BundleId, NodeId)>>,
    pub actual_outs: FxHashMap<InstId, Vec<(BundleId, NodeId)>>,
    pub outside: Option<NodeId>,
    /// The bundles of each function are consecutive.
    pub bundles_of: SecondaryMap<FuncId, (u32, u32)>,
}

impl<'a> Builder<'a> {
    pub fn new(
        program: &'a Program,
        answer: &'a PointsTo,
        regions: &'a PrimaryMap<RegionId, Region>,
        summaries: &'a SecondaryMap<FuncId, ModRef>,
        sets: Sets,
    ) -> Self {
        Builder {
            program,
            answer,
            regions,
            summaries,
            sets,
            bundler: Bundler::new(regions.len()),
            nodes: PrimaryMap::new(),
            edges: Vec::new(),
            values: SecondaryMap::new(),
            uses: SecondaryMap::new(),
            formal_ins: SecondaryMap::new(),
            formal_outs: SecondaryMap::new(),
            actual_ins: FxHashMap::default(),
            actual_outs: FxHashMap::default(),
            outside: None,
            bundles_of: SecondaryMap::new(),
        }
    }

    pub fn add(&mut self, node: Node) -> NodeId {
        self.nodes.push(node)
    }

    pub fn edge(&mut self, from: NodeId, to: NodeId, flow: Flow) {
        self.edges.push(Edge { from, to, label: flow.into() });
    }

    pub fn value(&mut self, value: ValueId) -> NodeId {
        if let Some(node) = self.values[value].expand() {
            return node;
        }
        let node = self.add(Node::Value(value));
        self.values[value] = node.into();
        node
    }

    /// The instruction's result, or the instruction if it has none.
    pub fn of_inst(&mut self, inst: InstId) -> NodeId {
        if let Some(result) = self.program.insts[inst].result.expand() {
            return self.value(result);
        }
        if let Some(node) = self.uses[inst].expand() {
            return node;
        }
        let node = self.add(Node::Use(inst));
        self.uses[inst] = node.into();
        node
    }

    pub fn formal_in(&mut self, func: FuncId, bundle: BundleId) -> NodeId {
        if let Some(node) = self.formal_ins[bundle].expand() {
            return node;
        }
        let node = self.add(Node::FormalIn { func, bundle });
        self.formal_ins[bundle] = node.into();
        node
    }

    pub fn formal_out(&mut self, func: FuncId, bundle: BundleId) -> NodeId {
        if let Some(node) = self.formal_outs[bundle].expand() {
            return node;
        }
        let node = self.add(Node::FormalOut { func, bundle });
        self.formal_outs[bundle] = node.into();
        node
    }

    pub fn actual_in(&mut self, call: InstId, bundle: BundleId) -> NodeId {
        let node = self.add(Node::ActualIn { call, bundle });
        self.actual_ins.entry(call).or_default().push((bundle, node));
        node
    }

    pub fn actual_out(&mut self, call: InstId, bundle: BundleId) -> NodeId {
        let node = self.add(Node::ActualOut { call, bundle });
        self.actual_outs.entry(call).or_default().push((bundle, node));
        node
    }

    pub fn outside(&mut self) -> NodeId {
        if let Some(node) = self.outside {
            return node;
        }
        let node = self.add(Node::Outside);
        self.outside = Some(node);
        node
    }

    /// Whether the bundle is one cell.
    pub fn is_one_cell(&self, bundle: BundleId) -> bool {
        let mut regions = self.sets.iter(self.bundler.bundles[bundle].regions);
        let (first, second) = (regions.next(), regions.next());
        let one = |region: u32| self.regions[RegionId::from_u32(region)].cells.len() == 1;
        second.is_none() && first.is_some_and(one)
    }

    pub fn insts(&self, func: FuncId) -> impl Iterator<Item = InstId> + use<'a> {
        let program: &'a Program = self.program;
        let blocks = program.funcs[func].blocks.iter();
        blocks.flat_map(|block| program.blocks[block].insts.iter())
    }

    /// The SSA values of a function: from definitions to uses, into callees and back.
    pub fn values_of(&mut self, func: FuncId) {
        let program = self.program;
        for param in program.funcs[func].params.iter() {
            self.value(param);
        }
        for inst in self.insts(func) {
            let data = &program.insts[inst];
            match data.inst {
                Inst::Jump { .. } | Inst::Unreachable | Inst::Fence => continue,
                Inst::Call { callee, args } => {
                    self.call_values(inst, callee, program.operands(args));
                }
                Inst::Unsupported { .. } => {
                    let (itself, outside) = (self.of_inst(inst), self.outside());
                    self.used(&data.inst, itself);
                    self.edge(itself, outside, Flow::Direct);
                    self.edge(outside, itself, Flow::Direct);
                }
                ref other => {
                    let itself = self.of_inst(inst);
                    self.used(other, itself);
                }
            }
        }
    }

    fn used(&mut self, inst: &Inst, by: NodeId) {
        let mut operands = Vec::new();
        self.program.for_each_operand(inst, |operand| operands.extend(operand.value()));
        for operand in operands {
            let from = self.value(operand);
            self.edge(from, by, Flow::Direct);
        }
    }

    fn call_values(&mut self, inst: InstId, callee: Callee, args: &[Operand]) {
        let (program, answer) = (self.program, self.answer);
        let itself = self.of_inst(inst);
        let arg_nodes: Vec<Option<NodeId>> =
            args.iter().map(|arg| arg.value().map(|value| self.value(value))).collect();
        if let Callee::Indirect(Operand::Value(target)) = callee {
            let from = self.value(target);
            self.edge(from, itself, Flow::Direct);
        }
        let callees = answer.callees(inst);
        let bare = |&func: &FuncId| program.funcs[func].blocks.is_empty();
        let library = callees.unknown || callees.funcs.iter().any(bare);
        if library {
            for &from in arg_nodes.iter().flatten() {
                self.edge(from, itself, Flow::Direct);
            }
        }
        if callees.unknown {
            let outside = self.outside();
            self.edge(itself, outside, Flow::Direct);
            self.edge(outside, itself, Flow::Direct);
        }
        for &func in callees.funcs.iter().filter(|func| !bare(func)) {
            let params = program.funcs[func].params;
            // A callback's arguments are the library's choice among what it was given.
            let called_back = library && callee != Callee::Direct(func);
            for (index, param) in params.iter().enumerate() {
                let param = self.value(param);
                let given = match called_back {
                    true => arg_nodes.as_slice(),
                    false => arg_nodes.get(index..index + 1).unwrap_or(&[]),
                };
                for &from in given.iter().flatten() {
                    self.edge(from, param, Flow::Call(inst));
                }
            }
            let extra = arg_nodes.get(params.len()..).unwrap_or(&[]);
            for at in self.insts(func) {
                match program.inst(at) {
                    Inst::Return { value: Some(_) } => {
                        let from = self.of_inst(at);
                        self.edge(from, itself, Flow::Return(inst));
                    }
                    Inst::VaStart { .. } => {
                        let start = self.of_inst(at);
                        for &from in extra.iter().flatten() {
                            self.edge(from, start, Flow::Call(inst));
                        }
                    }
                    _ => {}
                }
            }
        }
    }

    /// The memory of a function. `events` are what its instructions do themselves.
    pub fn memory_of(&mut self, func: FuncId, events: &[Event]) {
        let steps = self.steps(func, events);
        let modified = self.summaries[func].modified;
        let mut uses = Uses { own: Vec::new(), calls: vec![modified] };
        for step in &steps {
            let own = [step.own.reads, step.own.writes];
            match step.calls || step.unknown {
                true => uses.calls.extend(own.into_iter().chain([step.input, step.modified])),
                false => uses.own.extend(own),
            }
        }
        let first = self.bundler.bundles.len() as u32;
        let local: Local = self.bundler.divide(func, &uses, &mut self.sets);
        self.bundles_of[func] = (first, self.bundler.bundles.len() as u32);
        Renamer::run(self, func, &local, &steps, modified);
    }

    fn steps(&mut self, func: FuncId, events: &[Event]) -> Vec<Step> {
        let calls = Calls::new(self.program, self.answer);
        let mut steps = Vec::with_capacity(events.len());
        let mut events = events.iter().peekable();
        for inst in self.insts(func) {
            let own = events.next_if(|event| event.inst == inst).copied();
            let (mut input, mut modified) = (EMPTY, EMPTY);
            let mut bodies: Vec<SetId> = Vec::new();
            for callee in calls.of(inst) {
                let below = self.summaries[callee];
                input = self.sets.union(input, below.input);
                modified = self.sets.union(modified, below.modified);
                bodies.push(below.modified);
            }
            if own.is_none() && bodies.is_empty() {
                continue;
            }
            let unknown = self.answer.callees(inst).unknown;
            let known = &self.answer.callees(inst).funcs;
            let whole = bodies.iter().all(|&set| set == modified);
            let nothing = Event { inst, reads: EMPTY, writes: EMPTY, overwrites: false };
            steps.push(Step {
                own: own.unwrap_or(nothing),
                input,
                modified,
                surely: whole && !unknown && known.len() == bodies.len(),
                unknown: unknown || matches!(self.program.inst(inst), Inst::Unsupported { .. }),
                calls: !bodies.is_empty(),
            });
        }
        steps
    }
}
