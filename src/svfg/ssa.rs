//! Memory SSA of one function: χ and φ define bundles, μ use them, and every use has one definition (Cytron et
//! al., TOPLAS 1991, with dead φ removed). A bundle that is used before the function defines it is a
//! formal-in; what a function may have changed is used by a formal-out where it returns.

use super::build::Builder;
use super::bundles::Local;
use super::graph::{Flow, Node, NodeId};
use super::regions::Event;
use crate::ir::cfg::Cfg;
use crate::ir::dominators::Dominators;
use crate::ir::{FuncId, Inst, InstId};
use crate::pta::sets::SetId;

/// One instruction that touches memory, itself or through the bodies it calls.
#[derive(Debug, Clone, Copy)]
pub struct Step {
    pub own: Event,
    /// What the bodies it calls need and may change.
    pub input: SetId,
    pub modified: SetId,
    /// Every body it may run changes all of `modified`, and nothing else runs.
    pub surely: bool,
    /// Unknown code may run.
    pub unknown: bool,
    /// It calls something with a body.
    pub calls: bool,
}

/// A definition while the function is being renamed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Def {
    /// What the function was entered with.
    Entry,
    Node(NodeId),
    /// A φ of this function, which may turn out dead.
    Phi(u32),
}

#[derive(Debug)]
struct Phi {
    block: usize,
    bundle: u32,
    operands: Vec<Def>,
    live: bool,
}

/// Blocks where paths from a block first meet others; by block number.
fn frontiers(cfg: &Cfg, dominators: &Dominators) -> Vec<Vec<usize>> {
    let mut frontiers: Vec<Vec<usize>> = vec![Vec::new(); cfg.len()];
    for block in 0..cfg.len() {
        let above = dominators.immediate(cfg, cfg.block(block)).map(|b| cfg.number(b));
        if cfg.predecessors(block).len() < 2 && block != 0 {
            continue;
        }
        for &from in cfg.predecessors(block) {
            let mut runner = dominators.is_reachable(from).then_some(from);
            while let Some(at) = runner.filter(|&at| Some(at) != above) {
                if frontiers[at].last() != Some(&block) {
                    frontiers[at].push(block);
                }
                runner = dominators.immediate(cfg, cfg.block(at)).map(|b| cfg.number(b));
            }
        }
    }
    frontiers
}

#[derive(Debug)]
pub struct Renamer<'b, 'a, 'l> {
    builder: &'b mut Builder<'a>,
    func: FuncId,
    cfg: Cfg,
    local: &'l Local,
    /// By block.
    steps: Vec<&'l [Step]>,
    modified: SetId,
    phis: Vec<Phi>,
    phis_at: Vec<Vec<u32>>,
    current: Vec<Def>,
    /// Uses that wait until it is known which φ are live.
    edges: Vec<(Def, u32, NodeId)>,
}

impl<'b, 'a, 'l> Renamer<'b, 'a, 'l> {
    /// Adds the memory nodes and edges of `func`. `steps` are in the order of the instructions.
    pub fn run(
        builder: &'b mut Builder<'a>,
        func: FuncId,
        local: &'l Local,
        steps: &'l [Step],
        modified: SetId,
    ) {
        let program = builder.program;
        let cfg = Cfg::new(program, func);
        let dominators = Dominators::new(&cfg);
        let of_block = |number: usize| {
            let insts = program.blocks[cfg.block(number)].insts;
            let (first, last) = (insts.first(), insts.last());
            let from = steps.partition_point(|step| Some(step.own.inst) < first);
            let to = steps.partition_point(|step| Some(step.own.inst) <= last);
            &steps[from..to.max(from)]
        };
        let blocks = (0..cfg.len()).map(of_block).collect();
        let (count, bundles) = (cfg.len(), local.bundles.len());
        let mut renamer = Renamer {
            builder,
            func,
            cfg,
            local,
            steps: blocks,
            modified,
            phis: Vec::new(),
            phis_at: vec![Vec::new(); count],
            current: vec![Def::Entry; bundles],
            edges: Vec::new(),
        };
        renamer.place_phis(&dominators);
        renamer.rename(&dominators);
        renamer.finish();
    }

    fn defined(&self, step: &Step) -> impl Iterator<Item = u32> + use<'l> {
        let local: &'l Local = self.local;
        local.touched(step.own.writes).iter().chain(local.touched(step.modified)).copied()
    }

    fn place_phis(&mut self, dominators: &Dominators) {
        let mut blocks: Vec<Vec<usize>> = vec![Vec::new(); self.local.bundles.len()];
        for (number, steps) in self.steps.iter().enumerate() {
            if !dominators.is_reachable(number) {
                continue;
            }
            for bundle in steps.iter().flat_map(|step| self.defined(step)) {
                if blocks[bundle as usize].last() != Some(&number) {
                    blocks[bundle as usize].push(number);
                }
            }
        }
        let frontiers = frontiers(&self.cfg, dominators);
        let mut has_phi = vec![u32::MAX; self.cfg.len()];
        for (bundle, mut waiting) in blocks.into_iter().enumerate() {
            while let Some(block) = waiting.pop() {
                for &join in &frontiers[block] {
                    if has_phi[join] != bundle as u32 {
                        has_phi[join] = bundle as u32;
                        let phi = self.phis.len() as u32;
                        self.phis_at[join].push(phi);
                        let bundle = bundle as u32;
                        let operands = Vec::new();
                        self.phis.push(Phi { block: join, bundle, operands, live: false });
                        waiting.push(join);
                    }
                }
            }
        }
    }

    /// Walks down the dominator tree; what a block defines holds in its subtree.
    fn rename(&mut self, dominators: &Dominators) {
        let mut below: Vec<Vec<usize>> = vec![Vec::new(); self.cfg.len()];
        for number in 0..self.cfg.len() {
            if let Some(above) = dominators.immediate(&self.cfg, self.cfg.block(number)) {
                below[self.cfg.number(above)].push(number);
            }
        }
        if self.cfg.is_empty() {
            return;
        }
        let mut undo: Vec<(u32, Def)> = Vec::new();
        let mut path: Vec<(usize, usize, usize)> = vec![(0, 0, 0)];
        self.block(0, &mut undo);
        while let Some((block, child, mark)) = path.last_mut() {
            match below[*block].get(*child) {
                Some(&next) => {
                    *child += 1;
                    path.push((next, 0, undo.len()));
                    self.block(next, &mut undo);
                }
                None => {
                    for (bundle, old) in undo.drain(*mark..).rev() {
                        self.current[bundle as usize] = old;
                    }
                    path.pop();
                }
            }
        }
    }

    fn define(&mut self, bundle: u32, def: Def, undo: &mut Vec<(u32, Def)>) {
        undo.push((bundle, std::mem::replace(&mut self.current[bundle as usize], def)));
    }

    fn used_by(&mut self, bundle: u32, node: NodeId) {
        self.edges.push((self.current[bundle as usize], bundle, node));
    }

    fn block(&mut self, number: usize, undo: &mut Vec<(u32, Def)>) {
        for index in 0..self.phis_at[number].len() {
            let phi = self.phis_at[number][index];
            self.define(self.phis[phi as usize].bundle, Def::Phi(phi), undo);
        }
        for step in self.steps[number] {
            self.step(step, undo);
        }
        let program = self.builder.program;
        let last = program.terminator(self.cfg.block(number)).map(|last| program.inst(last));
        if matches!(last, Some(Inst::Return { .. })) {
            for &bundle in self.local.touched(self.modified) {
                let id = self.local.bundles[bundle as usize];
                let node = self.builder.formal_out(self.func, id);
                self.used_by(bundle, node);
            }
        }
        for index in 0..self.cfg.successors(number).len() {
            let next = self.cfg.successors(number)[index];
            for &phi in &self.phis_at[next] {
                let phi = &mut self.phis[phi as usize];
                phi.operands.push(self.current[phi.bundle as usize]);
            }
        }
    }

    fn step(&mut self, step: &Step, undo: &mut Vec<(u32, Def)>) {
        let local = self.local;
        let inst = step.own.inst;
        let itself = self.builder.of_inst(inst);
        for &bundle in local.touched(step.own.reads) {
            self.used_by(bundle, itself);
        }
        if !step.calls && !step.unknown {
            for &bundle in local.touched(step.own.writes) {
                let id = local.bundles[bundle as usize];
                let chi = self.builder.add(Node::Chi { at: inst, bundle: id });
                self.builder.edge(itself, chi, Flow::Direct);
                if !(step.own.overwrites && self.builder.is_one_cell(id)) {
                    self.used_by(bundle, chi);
                }
                self.define(bundle, Def::Node(chi), undo);
            }
            return;
        }
        self.call(inst, itself, step, undo);
    }

    fn call(&mut self, inst: InstId, itself: NodeId, step: &Step, undo: &mut Vec<(u32, Def)>) {
        let local = self.local;
        for &bundle in local.touched(step.input) {
            let id = local.bundles[bundle as usize];
            let node = self.builder.actual_in(inst, id);
            self.used_by(bundle, node);
        }
        let (own, modified) = (local.touched(step.own.writes), local.touched(step.modified));
        let mut all: Vec<u32> = own.iter().chain(modified).copied().collect();
        all.sort_unstable();
        all.dedup();
        for bundle in all {
            let id = local.bundles[bundle as usize];
            let node = self.builder.actual_out(inst, id);
            let is_own = own.binary_search(&bundle).is_ok();
            if is_own {
                self.builder.edge(itself, node, Flow::Direct);
                if step.unknown {
                    let outside = self.builder.outside();
                    self.builder.edge(outside, node, Flow::Indirect);
                }
            }
            if is_own || !step.surely {
                self.used_by(bundle, node);
            }
            self.define(bundle, Def::Node(node), undo);
        }
    }

    /// Keeps the φ that something needs, and makes the edges.
    fn finish(mut self) {
        let mut waiting: Vec<u32> = Vec::new();
        for &(def, ..) in &self.edges {
            if let Def::Phi(phi) = def {
                waiting.push(phi);
            }
        }
        while let Some(phi) = waiting.pop() {
            let phi = &mut self.phis[phi as usize];
            if !std::mem::replace(&mut phi.live, true) {
                waiting.extend(phi.operands.iter().filter_map(|operand| match operand {
                    Def::Phi(phi) => Some(*phi),
                    Def::Entry | Def::Node(_) => None,
                }));
            }
        }
        let mut nodes: Vec<Option<NodeId>> = Vec::with_capacity(self.phis.len());
        for phi in &self.phis {
            let (block, bundle) = (self.cfg.block(phi.block), phi.bundle as usize);
            let bundle = self.local.bundles[bundle];
            nodes.push(phi.live.then(|| self.builder.add(Node::Phi { block, bundle })));
        }
        let phis = std::mem::take(&mut self.phis);
        let mut edges = std::mem::take(&mut self.edges);
        for (phi, node) in phis.iter().zip(&nodes) {
            if let Some(node) = node {
                edges.extend(phi.operands.iter().map(|&operand| (operand, phi.bundle, *node)));
            }
        }
        for (def, bundle, to) in edges {
            let from = match def {
                Def::Node(node) => Some(node),
                Def::Phi(phi) => nodes[phi as usize],
                Def::Entry => {
                    let id = self.local.bundles[bundle as usize];
                    Some(self.builder.formal_in(self.func, id))
                }
            };
            if let Some(from) = from {
                self.builder.edge(from, to, Flow::Indirect);
            }
        }
    }
}
