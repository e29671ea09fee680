//! What can influence the obligation: from it and from all that may keep an execution from getting there, backward over
//! values, memory and control until nothing is added.
//!
//! Invariants: with an instruction, everything it computes from is in; with a block, everything that decides
//! whether control gets there; with a function, every call of it that may come before.

use super::before::{Before, Callers};
use super::control::Control;
use super::ends::Ends;
use super::loops;
use crate::ir::{BlockId, Callee, Const, Def, FuncId, Inst, InstId, Operand, Program, ValueId};
use crate::pta::{ObjectId, PointsTo};
use crate::rules::{Demand, Obligation};
use crate::svfg::modref::Calls;
use crate::svfg::{Flow, Node, NodeId, Svfg};
use cranelift_entity::EntitySet;
use rustc_hash::{FxHashMap, FxHashSet};

/// What is known of a program before any obligation is looked at.
#[derive(Debug)]
pub struct Ground<'a> {
    pub program: &'a Program,
    pub answer: &'a PointsTo,
    pub svfg: &'a Svfg,
    pub ends: Ends<'a>,
    pub callers: &'a Callers,
    pub controls: FxHashMap<FuncId, Control>,
    pub loops: FxHashMap<FuncId, loops::Loops>,
    /// Functions that may not return.
    pub lasting: EntitySet<FuncId>,
    /// Where the lives of local variables begin and end.
    lives: FxHashMap<ObjectId, Vec<InstId>>,
    restores: Vec<InstId>,
}

impl<'a> Ground<'a> {
    pub fn new(
        program: &'a Program,
        answer: &'a PointsTo,
        svfg: &'a Svfg,
        callers: &'a Callers,
    ) -> Self {
        let mut ground = Ground {
            program,
            answer,
            svfg,
            ends: Ends::new(program, answer, callers),
            callers,
            controls: FxHashMap::default(),
            loops: FxHashMap::default(),
            lasting: EntitySet::new(),
            lives: FxHashMap::default(),
            restores: Vec::new(),
        };
        for &func in &answer.reachable {
            let control = Control::new(program, func);
            ground.loops.insert(func, loops::find(program, control.cfg()));
            ground.controls.insert(func, control);
            for inst in ground.insts(func) {
                match *program.inst(inst) {
                    Inst::LifetimeStart { object } | Inst::LifetimeEnd { object } => {
                        for object in ground.objects(object) {
                            ground.lives.entry(object).or_default().push(inst);
                        }
                    }
                    Inst::StackRestore { .. } => ground.restores.push(inst),
                    _ => {}
                }
            }
        }
        ground.find_lasting();
        ground
    }

    pub fn insts(&self, func: FuncId) -> impl Iterator<Item = InstId> + use<'a> {
        let program: &'a Program = self.program;
        let blocks = program.funcs[func].blocks.iter();
        blocks.flat_map(|block| program.blocks[block].insts.iter())
    }

    fn objects(&self, ptr: Operand) -> FxHashSet<ObjectId> {
        let set = self.answer.set_of(ptr);
        self.answer.members(set).map(|at| self.answer.locations[at].object).collect()
    }

    fn find_lasting(&mut self) {
        let mut waiting: Vec<FuncId> = Vec::new();
        for &func in &self.answer.reachable {
            let endless = self.loops[&func].endless || self.svfg.is_recursive(func);
            if endless || self.insts(func).any(|inst| self.ends.may_end(inst)) {
                waiting.push(func);
            }
        }
        while let Some(func) = waiting.pop() {
            if self.lasting.insert(func) {
                let callers = self.callers[func].iter();
                waiting.extend(callers.map(|&call| self.program.func_of(call)));
            }
        }
    }
}

/// What the obligation needs.
#[derive(Debug, Default)]
pub struct Relevant {
    pub insts: EntitySet<InstId>,
    /// Nodes of the value-flow graph.
    pub nodes: EntitySet<NodeId>,
    pub params: EntitySet<ValueId>,
    /// Functions whose result is needed.
    pub results: EntitySet<FuncId>,
}

#[derive(Debug)]
pub struct Closure<'g, 'a> {
    ground: &'g Ground<'a>,
    before: &'g Before,
    relevant: Relevant,
    blocks: EntitySet<BlockId>,
    funcs: EntitySet<FuncId>,
    waiting: Vec<InstId>,
}

impl<'g, 'a> Closure<'g, 'a> {
    pub fn run(ground: &'g Ground<'a>, before: &'g Before, obligation: &Obligation) -> Relevant {
        let mut closure = Closure {
            ground,
            before,
            relevant: Relevant::default(),
            blocks: EntitySet::new(),
            funcs: EntitySet::new(),
            waiting: Vec::new(),
        };
        closure.criteria(obligation);
        while let Some(inst) = closure.waiting.pop() {
            closure.follow(inst);
        }
        closure.relevant
    }

    /// Where it starts.
    fn criteria(&mut self, obligation: &Obligation) {
        let ground = self.ground;
        self.inst(obligation.at);
        match obligation.demand {
            Demand::NotReached => {}
            Demand::NonZero(operand)
            | Demand::Arguable(operand)
            | Demand::Set(operand)
            | Demand::Fits { value: operand, .. }
            | Demand::Free { pointer: operand, .. } => self.operand(operand),
            Demand::Equal(a, b) | Demand::Wraps { lhs: a, rhs: b, .. } => {
                self.operand(a);
                self.operand(b);
            }
            // The rest is among the operands of the instruction.
            Demand::Access { pointer, .. } => {
                self.operand(pointer);
                let mut operands = Vec::new();
                let program = ground.program;
                program.for_each_operand(program.inst(obligation.at), |o| operands.push(o));
                operands.into_iter().for_each(|operand| self.operand(operand));
            }
            Demand::Kept => {}
        }
        for &func in &ground.answer.reachable {
            for inst in ground.insts(func) {
                let block = ground.program.insts[inst].block;
                if self.before.blocks.contains(block) && ground.ends.may_end(inst) {
                    self.inst(inst);
                }
            }
            for &block in &ground.loops[&func].deciders {
                if self.before.blocks.contains(block) {
                    self.end_of(block);
                }
            }
            if ground.lasting.contains(func) && self.before.after.contains(func) {
                self.func(func);
                for &block in ground.controls[&func].of_return() {
                    self.end_of(block);
                }
            }
        }
    }

    fn inst(&mut self, inst: InstId) {
        if self.relevant.insts.insert(inst) {
            self.waiting.push(inst);
        }
    }

    fn end_of(&mut self, block: BlockId) {
        if let Some(last) = self.ground.program.terminator(block) {
            self.inst(last);
        }
    }

    fn operand(&mut self, operand: Operand) {
        let Operand::Value(value) = operand else { return };
        match self.ground.program.values[value].def {
            Def::Inst(inst) => {
                self.inst(inst);
                if matches!(self.ground.program.inst(inst), Inst::Call { .. }) {
                    self.results_of(inst);
                }
            }
            Def::Param { func, index } => self.param(func, index, value),
        }
    }

    /// A parameter: what every call gives for it.
    fn param(&mut self, func: FuncId, index: u32, value: ValueId) {
        if !self.relevant.params.insert(value) {
            return;
        }
        let ground = self.ground;
        self.func(func);
        for &call in &ground.callers[func] {
            let Inst::Call { args, .. } = *ground.program.inst(call) else { continue };
            let args = ground.program.operands(args);
            match ground.ends.runs_outside(call) {
                true => args.iter().for_each(|&arg| self.operand(arg)),
                false => args.get(index as usize).into_iter().for_each(|&arg| self.operand(arg)),
            }
        }
    }

    /// The result of a call: what each callee returns.
    fn results_of(&mut self, call: InstId) {
        let ground = self.ground;
        let calls = Calls::new(ground.program, ground.answer);
        let callees: Vec<FuncId> = calls.of(call).collect();
        for func in callees {
            if self.relevant.results.insert(func) {
                for inst in ground.insts(func) {
                    if let Inst::Return { value: Some(value) } = *ground.program.inst(inst) {
                        self.inst(inst);
                        self.operand(value);
                    }
                }
            }
        }
    }

    /// Something in the function is needed: so are its calls.
    fn func(&mut self, func: FuncId) {
        if self.funcs.insert(func) {
            for &call in &self.ground.callers[func] {
                if self.before.blocks.contains(self.ground.program.insts[call].block) {
                    self.inst(call);
                }
            }
        }
    }

    fn block(&mut self, block: BlockId) {
        if self.blocks.insert(block) {
            let func = self.ground.program.blocks[block].func;
            self.func(func);
            for &decider in self.ground.controls[&func].of_block(block) {
                self.end_of(decider);
            }
        }
    }

    fn follow(&mut self, inst: InstId) {
        let ground = self.ground;
        let program = ground.program;
        self.block(program.insts[inst].block);
        match *program.inst(inst) {
            Inst::Call { callee, args } => {
                let args = program.operands(args);
                if let Callee::Indirect(target) = callee {
                    self.operand(target);
                }
                let variadic = |&func: &FuncId| program.funcs[func].variadic;
                if ground.ends.runs_outside(inst)
                    || ground.answer.callees(inst).funcs.iter().any(variadic)
                {
                    args.iter().for_each(|&arg| self.operand(arg));
                }
            }
            Inst::Phi { incoming } => {
                for &(from, operand) in program.phi_pool.get(incoming) {
                    self.operand(operand);
                    self.end_of(from);
                }
            }
            // Its value is asked for where the result is.
            Inst::Return { .. } => {}
            ref other => {
                let mut operands = Vec::new();
                program.for_each_operand(other, |operand| operands.push(operand));
                operands.into_iter().for_each(|operand| self.operand(operand));
            }
        }
        if let Some(node) = ground.svfg.inst(program, inst) {
            self.memory_into(node);
        }
        self.life(inst);
    }

    /// The memory that an instruction reads.
    fn memory_into(&mut self, node: NodeId) {
        self.relevant.nodes.insert(node);
        let graph = &self.ground.svfg.graph;
        let read: Vec<NodeId> = graph.predecessors_by(node, Flow::Indirect).collect();
        read.into_iter().for_each(|from| self.memory(from));
    }

    /// A definition of memory, and all it is made of.
    fn memory(&mut self, node: NodeId) {
        let ground = self.ground;
        let mut waiting = vec![node];
        while let Some(node) = waiting.pop() {
            if !self.relevant.nodes.insert(node) {
                continue;
            }
            match ground.svfg.graph.nodes[node] {
                Node::Value(value) => {
                    self.operand(Operand::Value(value));
                    continue;
                }
                Node::Use(inst) => {
                    self.inst(inst);
                    continue;
                }
                Node::Chi { at, .. } => self.inst(at),
                Node::ActualOut { call, .. } | Node::ActualIn { call, .. } => self.inst(call),
                Node::Phi { .. }
                | Node::FormalIn { .. }
                | Node::FormalOut { .. }
                | Node::Outside => {}
            }
            for (from, flow) in ground.svfg.graph.predecessors(node) {
                match (ground.svfg.graph.nodes[from], flow) {
                    // The instruction itself, which was added.
                    (Node::Value(_) | Node::Use(_), Flow::Direct)
                        if !matches!(ground.svfg.graph.nodes[node], Node::Outside) => {}
                    _ => waiting.push(from),
                }
            }
        }
    }

    /// An access that is not sure to be one of something alive needs to know what is.
    fn life(&mut self, inst: InstId) {
        let ground = self.ground;
        if ground.ends.is_sure(inst) {
            return;
        }
        for (ptr, ..) in ground.ends.accesses(inst) {
            for object in ground.objects(ptr) {
                let lives = ground.lives.get(&object).map_or(&[][..], Vec::as_slice);
                lives.iter().for_each(|&at| self.inst(at));
                if is_dynamic(ground, object) {
                    ground.restores.iter().for_each(|&at| self.inst(at));
                }
            }
        }
    }
}

/// Whether the object is a variable-length array, which the stack's restoring ends.
fn is_dynamic(ground: &Ground<'_>, object: ObjectId) -> bool {
    let crate::pta::ObjectKind::Alloca { site, .. } = ground.answer.objects[object].kind else {
        return false;
    };
    let program = ground.program;
    !matches!(
        *program.inst(site),
        Inst::Alloca { count: Operand::Const(count), .. }
            if matches!(program.consts.get(count), Const::Int(_))
    )
}
