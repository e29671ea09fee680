//! From instructions to constraints, for what can be reached from the program's entries.
//!
//! Functions and globals are generated when something first names them.

use super::constraints::{
    CallId, Constraints, Extent, MemCopy, Node, Nodes, Role, Signature, Sink, Traits, World,
};
use super::leaves::Leaves;
use super::models::{self, Silence};
use super::objects::{Context, ContextId, LocationId, ObjectId, ObjectKind, Objects, Step};
use super::shape::Shape;
use super::wrappers::Wrappers;
use crate::ir::{ConstId, FuncId, GlobalId, InstId, Operand, Program, TypeId, ValueId};
use cranelift_entity::packed_option::PackedOption;
use cranelift_entity::{PrimaryMap, SecondaryMap};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// What generation leaves for the solver and the answer.
pub struct Generator<'p> {
    pub program: &'p Program,
    pub objects: Objects<'p>,
    pub world: World,
    pub constraints: Constraints,
    /// The nodes of values outside clones.
    pub root: SecondaryMap<ValueId, PackedOption<Node>>,
    /// The first nodes of values inside clones.
    pub clones: Vec<(ValueId, Node)>,
    /// Where integers become pointers.
    pub int_to_ptr: Vec<(InstId, Node)>,
    pub(super) leaves: Leaves,
    pub(super) wrappers: Wrappers,
    pub(super) consts: FxHashMap<ConstId, Option<Nodes>>,
    /// What is passed to indirect calls.
    pub passed: Vec<Node>,
    /// Functions whose shared copy is still to be generated.
    pub(super) waiting_funcs: Vec<FuncId>,
    pub(super) waiting_globals: Vec<GlobalId>,
    pub(super) seen_globals: FxHashSet<GlobalId>,
    pub(super) taken: FxHashSet<FuncId>,
    /// Functions that may run.
    pub(super) reached: BTreeSet<FuncId>,
    /// Functions of which each direct call has a copy (see [`applied`]), those copies, and those still to be generated.
    pub(super) applied: FxHashSet<FuncId>,
    pub(super) copies: FxHashMap<(InstId, FuncId), Signature>,
    pub(super) waiting_copies: Vec<Frame<'static>>,
}

/// A function being generated: its shared copy, or a clone for one call.
pub(super) struct Frame<'a> {
    pub(super) func: FuncId,
    pub(super) context: ContextId,
    /// A clone's values.
    pub(super) nodes: Option<FxHashMap<ValueId, Nodes>>,
    /// A clone's arguments as the caller's operands, and the caller.
    pub(super) caller: Option<(&'a Frame<'a>, &'a [Operand])>,
    /// How large the arguments are of a copy that has no one caller.
    pub(super) given: Vec<Extent>,
    pub(super) result: Option<Nodes>,
    pub(super) varargs: Option<ObjectId>,
    pub(super) depth: usize,
    pub(super) silence: Silence,
}

impl Frame<'_> {
    pub(super) fn runs(&self, func: FuncId) -> bool {
        self.func == func || self.caller.is_some_and(|(frame, _)| frame.runs(func))
    }
}

impl<'p> Sink<'p> for Generator<'p> {
    fn objects(&mut self) -> &mut Objects<'p> {
        &mut self.objects
    }
    fn world(&mut self) -> &mut World {
        &mut self.world
    }
    fn fresh(&mut self, role: Role) -> Node {
        let traits = Traits { carrier: role == Role::Carrier, open: role == Role::Open };
        self.constraints.traits.push(traits)
    }
    fn address(&mut self, node: Node, location: LocationId) {
        self.constraints.addresses.push((node, location));
    }
    fn copy(&mut self, from: Node, to: Node) {
        self.constraints.copies.push((from, to));
    }
    fn step(&mut self, from: Node, to: Node, step: Step) {
        if step.is_nothing() {
            self.copy(from, to);
        } else {
            self.constraints.steps.push((from, to, step));
        }
    }
    fn load(&mut self, from: Node, to: Node, width: u32) {
        self.constraints.loads.push((from, to, width));
    }
    fn store(&mut self, from: Node, to: Node, width: u32) {
        self.constraints.stores.push((to, from, width));
    }
    fn fill(&mut self, from: Node, location: LocationId) {
        self.constraints.fills.push((from, location));
    }
    fn copy_memory(&mut self, to: Node, from: Node, len: Option<u64>) {
        let len = len.unwrap_or(u64::MAX);
        self.constraints.memory_copies.push(MemCopy { to, from, len, around: false, exact: false });
    }
    fn call(&mut self, target: Node, call: CallId) {
        self.constraints.calls.push((target, call));
    }
}

impl<'p> Generator<'p> {
    pub fn new(program: &'p Program, objects: Objects<'p>, wrappers: Wrappers) -> Self {
        let mut constraints = Constraints::default();
        let escaped = constraints.traits.push(Traits { carrier: false, open: true });
        Generator {
            program,
            objects,
            world: World {
                calls: PrimaryMap::new(),
                signatures: FxHashMap::default(),
                escaped,
                told: models::told(program),
                slots: FxHashMap::default(),
                unknown_runs: false,
                edges: FxHashSet::default(),
                unknown_calls: Default::default(),
                called_by_unknown: Default::default(),
                externals: Default::default(),
                filtered: Default::default(),
                own_copies: FxHashMap::default(),
                connected: FxHashSet::default(),
            },
            constraints,
            root: SecondaryMap::new(),
            clones: Vec::new(),
            int_to_ptr: Vec::new(),
            leaves: Leaves::default(),
            wrappers,
            consts: FxHashMap::default(),
            passed: Vec::new(),
            waiting_funcs: Vec::new(),
            waiting_globals: Vec::new(),
            seen_globals: FxHashSet::default(),
            taken: FxHashSet::default(),
            reached: BTreeSet::new(),
            applied: FxHashSet::default(),
            copies: FxHashMap::default(),
            waiting_copies: Vec::new(),
        }
    }

    /// Nodes for a value of type `ty`.
    pub(super) fn make(&mut self, ty: TypeId) -> Option<Nodes> {
        let leaves = self.leaves.of(self.program, ty);
        let mut first = None;
        for leaf in leaves.iter() {
            let node = self.fresh(if leaf.pointer { Role::Pointer } else { Role::Carrier });
            first = first.or(Some(node));
        }
        first.map(|first| Nodes { first, len: leaves.len() as u32 })
    }

    /// The function's shared copy; its body follows when its turn comes.
    pub(super) fn signature(&mut self, func: FuncId) -> Option<Signature> {
        let function = &self.program.funcs[func];
        if function.blocks.is_empty() {
            return None;
        }
        if let Some(signature) = self.world.signatures.get(&func) {
            return Some(signature.clone());
        }
        let root = self.objects.root();
        let params = function.params.iter().map(|param| self.root_value(param)).collect();
        let signature = self.sign(func, root, params);
        self.world.signatures.insert(func, signature.clone());
        self.waiting_funcs.push(func);
        Some(signature)
    }

    fn sign(&mut self, func: FuncId, context: ContextId, params: Vec<Option<Nodes>>) -> Signature {
        let function = &self.program.funcs[func];
        let result = self.make(function.result);
        let varargs = function.variadic.then(|| {
            let kind = ObjectKind::Varargs { func, context };
            self.objects.intern(kind, None, Shape::Flat, false)
        });
        Signature { params, result, varargs: varargs.into() }
    }

    fn root_value(&mut self, value: ValueId) -> Option<Nodes> {
        let ty = self.program.values[value].ty;
        if let Some(first) = self.root[value].expand() {
            let len = self.leaves.of(self.program, ty).len() as u32;
            return Some(Nodes { first, len });
        }
        let nodes = self.make(ty)?;
        self.root[value] = nodes.first.into();
        Some(nodes)
    }

    pub(super) fn value(&mut self, frame: &mut Frame<'_>, value: ValueId) -> Option<Nodes> {
        let Some(known) = &frame.nodes else {
            return self.root_value(value);
        };
        if let Some(&nodes) = known.get(&value) {
            return Some(nodes);
        }
        let nodes = self.make(self.program.values[value].ty)?;
        self.clones.push((value, nodes.first));
        frame.nodes.as_mut()?.insert(value, nodes);
        Some(nodes)
    }

    pub(super) fn operand(&mut self, frame: &mut Frame<'_>, operand: Operand) -> Option<Nodes> {
        match operand {
            Operand::Value(value) => self.value(frame, value),
            Operand::Const(constant) => self.constant(constant),
        }
    }

    /// The operand's pointer, if it can have one.
    pub(super) fn pointer(&mut self, frame: &mut Frame<'_>, operand: Operand) -> Option<Node> {
        self.operand(frame, operand)?.get(0)
    }

    pub(super) fn body(&mut self, func: FuncId) {
        let Some(signature) = self.world.signatures.get(&func).cloned() else {
            return;
        };
        let mut frame = Frame {
            func,
            context: self.objects.root(),
            nodes: None,
            caller: None,
            given: Vec::new(),
            result: signature.result,
            varargs: signature.varargs.expand(),
            depth: 0,
            silence: models::silence(self.program, func, &self.world.told),
        };
        self.instructions(&mut frame);
    }

    pub(super) fn instructions(&mut self, frame: &mut Frame<'_>) {
        self.reached.insert(frame.func);
        let program = self.program;
        for block in program.funcs[frame.func].blocks.iter() {
            for inst in program.blocks[block].insts.iter() {
                self.instruction(frame, inst);
            }
        }
    }

    /// A copy of `func` for this call alone.
    pub(super) fn clone_for(
        &mut self,
        frame: &Frame<'_>,
        inst: InstId,
        func: FuncId,
        args: &[Operand],
    ) -> Signature {
        let context = Context { parent: frame.context, call: Some(inst) };
        let context = self.objects.contexts.push(context);
        let mut clone = Frame {
            func,
            context,
            nodes: Some(FxHashMap::default()),
            caller: Some((frame, args)),
            given: Vec::new(),
            result: None,
            varargs: None,
            depth: frame.depth + 1,
            silence: models::silence(self.program, func, &self.world.told),
        };
        let signature = self.sign_copy(&mut clone);
        self.instructions(&mut clone);
        signature
    }

    fn sign_copy(&mut self, copy: &mut Frame<'_>) -> Signature {
        let program = self.program;
        let params = program.funcs[copy.func].params.iter();
        let params = params.map(|param| self.value(copy, param)).collect();
        let signature = self.sign(copy.func, copy.context, params);
        copy.result = signature.result;
        copy.varargs = signature.varargs.expand();
        signature
    }

    /// The copy of `func` for this call, whoever runs the function with the call; its body follows when its turn comes.
    pub(super) fn copy_for(&mut self, inst: InstId, func: FuncId, args: &[Operand]) -> Signature {
        if let Some(signature) = self.copies.get(&(inst, func)) {
            return signature.clone();
        }
        let context = Context { parent: self.objects.root(), call: Some(inst) };
        let mut copy = Frame {
            func,
            context: self.objects.contexts.push(context),
            nodes: Some(FxHashMap::default()),
            caller: None,
            given: Vec::new(),
            result: None,
            varargs: None,
            depth: 1,
            silence: models::silence(self.program, func, &self.world.told),
        };
        // Nothing is known of what the caller itself is given.
        copy.given = args.iter().map(|&arg| self.extent(&copy, arg, 0)).collect();
        let signature = self.sign_copy(&mut copy);
        self.copies.insert((inst, func), signature.clone());
        self.waiting_copies.push(copy);
        signature
    }
}
