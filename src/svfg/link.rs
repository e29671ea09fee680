//! What flows between the memory of functions: what a call hands over to the formal-in of each callee, what
//! a callee leaves to the call. Bundles of caller and callee are joined where they share regions.

use super::build::Builder;
use super::graph::{BundleId, Flow, NodeId};
use crate::ir::{FuncId, InstId};
use cranelift_entity::packed_option::PackedOption;
use rustc_hash::FxHashMap;

impl Builder<'_> {
    /// What flows between the memory of functions.
    pub fn link(&mut self) {
        let answer = self.answer;
        let mut linker = Linker::new(self.regions.len());
        for &func in &answer.reachable {
            linker.enter(self, func);
            let mut pairs: FxHashMap<FuncId, Pairs> = FxHashMap::default();
            for inst in self.insts(func) {
                let callees = answer.callees(inst);
                for &callee in &callees.funcs {
                    if self.bundles_of[callee] == (0, 0) {
                        continue;
                    }
                    let pairs = pairs.entry(callee).or_insert_with(|| linker.pairs(self, callee));
                    self.connect(inst, pairs);
                }
                if callees.unknown {
                    let outside = self.outside();
                    let ins = self.actual_ins.get(&inst).cloned().unwrap_or_default();
                    let outs = self.actual_outs.get(&inst).cloned().unwrap_or_default();
                    ins.iter().for_each(|&(_, node)| self.edge(node, outside, Flow::Indirect));
                    outs.iter().for_each(|&(_, node)| self.edge(outside, node, Flow::Indirect));
                }
            }
            linker.leave(self, func);
        }
        for &func in &answer.called_by_unknown {
            self.open(func);
        }
        self.sequence(&mut linker);
    }

    fn connect(&mut self, call: InstId, pairs: &Pairs) {
        let find = |list: Option<&Vec<(BundleId, NodeId)>>, bundle: BundleId| {
            let list = list?;
            list.binary_search_by_key(&bundle, |entry| entry.0).ok().map(|at| list[at].1)
        };
        let mut found: Vec<(NodeId, NodeId, Flow)> = Vec::new();
        let (ins, outs) = (self.actual_ins.get(&call), self.actual_outs.get(&call));
        for &(here, formal) in &pairs.ins {
            found.extend(find(ins, here).map(|actual| (actual, formal, Flow::Call(call))));
        }
        for &(here, formal) in &pairs.outs {
            found.extend(find(outs, here).map(|actual| (formal, actual, Flow::Return(call))));
        }
        found.into_iter().for_each(|(from, to, flow)| self.edge(from, to, flow));
    }

    /// Unknown code may call the function, with anything.
    fn open(&mut self, func: FuncId) {
        let outside = self.outside();
        for param in self.program.funcs[func].params.iter() {
            let param = self.value(param);
            self.edge(outside, param, Flow::Direct);
        }
        let (first, end) = self.bundles_of[func];
        for bundle in (first..end).map(BundleId::from_u32) {
            if let Some(node) = self.formal_ins[bundle].expand() {
                self.edge(outside, node, Flow::Indirect);
            }
            if let Some(node) = self.formal_outs[bundle].expand() {
                self.edge(node, outside, Flow::Indirect);
            }
        }
    }

    /// Constructors run before `main`, destructors behind it.
    fn sequence(&mut self, linker: &mut Linker) {
        let program = self.program;
        let main = program.func_by_name("main");
        let before = program.constructors.iter().copied();
        let order: Vec<FuncId> =
            before.chain(main).chain(program.destructors.iter().copied()).collect();
        for (index, &func) in order.iter().enumerate() {
            linker.enter(self, func);
            for &later in &order[index + 1..] {
                let pairs = linker.pairs(self, later);
                for &(here, formal) in &pairs.ins {
                    if let Some(out) = self.formal_outs[here].expand() {
                        self.edge(out, formal, Flow::Indirect);
                    }
                }
            }
            linker.leave(self, func);
        }
    }
}

/// Which bundles of a caller meet which formals of a callee.
#[derive(Debug, Default)]
struct Pairs {
    ins: Vec<(BundleId, NodeId)>,
    outs: Vec<(BundleId, NodeId)>,
}

/// Holds the bundle of each region in the function that is looked at.
#[derive(Debug)]
struct Linker {
    of_region: Vec<PackedOption<BundleId>>,
}

impl Linker {
    fn new(regions: usize) -> Self {
        Linker { of_region: vec![PackedOption::default(); regions] }
    }

    fn each(&mut self, builder: &Builder<'_>, func: FuncId, is_in: bool) {
        let (first, end) = builder.bundles_of[func];
        for bundle in (first..end).map(BundleId::from_u32) {
            for region in builder.sets.iter(builder.bundler.bundles[bundle].regions) {
                self.of_region[region as usize] =
                    if is_in { bundle.into() } else { PackedOption::default() };
            }
        }
    }

    fn enter(&mut self, builder: &Builder<'_>, func: FuncId) {
        self.each(builder, func, true);
    }

    fn leave(&mut self, builder: &Builder<'_>, func: FuncId) {
        self.each(builder, func, false);
    }

    fn pairs(&self, builder: &Builder<'_>, callee: FuncId) -> Pairs {
        let mut pairs = Pairs::default();
        let mut here: Vec<BundleId> = Vec::new();
        let (first, end) = builder.bundles_of[callee];
        for bundle in (first..end).map(BundleId::from_u32) {
            let (formal_in, formal_out) =
                (builder.formal_ins[bundle].expand(), builder.formal_outs[bundle].expand());
            if formal_in.is_none() && formal_out.is_none() {
                continue;
            }
            here.clear();
            let regions = builder.sets.iter(builder.bundler.bundles[bundle].regions);
            for found in regions.filter_map(|region| self.of_region[region as usize].expand()) {
                if here.last() != Some(&found) {
                    here.push(found);
                }
            }
            here.sort_unstable();
            here.dedup();
            pairs.ins.extend(here.iter().filter_map(|&b| Some((b, formal_in?))));
            pairs.outs.extend(here.iter().filter_map(|&b| Some((b, formal_out?))));
        }
        pairs
    }
}
