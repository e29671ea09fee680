//! The machine that executes the model on expressions: what it makes of constants, where arbitrary
//! values come from, and what it assumes.
//!
//! Invariants: the same choices give the same variables (they are numbered along the path), so a path
//! can be walked again with the values a solver found. A condition that speaks of addresses is never
//! assumed: the path goes on in doubt instead.

use super::demand::is_unset;
use super::draw::Draw;
use super::ghost::Ghosts;
use super::known::{Known, Looked};
use super::marks::Marks;
use super::memory::{Background, Instance, Life, Memory, Object, Origin};
use super::plain::Plains;
use super::reentry::Reentries;
use super::state::State;
use super::value::Value;
use crate::cegas::persistent::OrdMap;
use crate::entries::Entry;
use crate::ir::{
    Const, ConstExpr, ConstId, GlobalId, InstId, Operand, Program, Type, TypeId, ValueId,
};
use crate::smt::{ExprId, MAX_WIDTH, Model, Solver, Sort, VarId};
use cranelift_entity::SecondaryMap;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Why an execution does not go on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stop {
    /// There is no such execution, or it ended in a violation.
    End,
    /// The program ended itself while functions were running (`exit`, `abort`, a trap), or they run for ever.
    Exit,
    /// A value must be told apart first: it is one of these, each under its condition.
    Split(ValueId, Vec<(ExprId, ExprId)>),
    /// It leaves what the model knows.
    Gap(String),
}

/// Where an arbitrary value comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Source {
    /// An input of the program.
    Input,
    /// What lay in memory or a variable before the first write.
    Uninit,
    /// The same, used as a pointer: null or the address of no object.
    Junk,
    /// What C leaves open.
    Unspecified,
    /// A choice of callers that no violation may rest on alone: whether a pointer is null.
    Assumed,
    /// What a loop makes of a variable, in a general state.
    Widened,
    /// Which of two paths that were joined is meant.
    Selected,
}

pub(super) type Step<T> = Result<T, Stop>;

pub(super) fn gap<T>(what: impl Into<String>) -> Step<T> {
    Err(Stop::Gap(what.into()))
}

#[derive(Debug)]
pub struct Machine<'p> {
    pub program: &'p Program,
    pub smt: Solver,
    pub(super) pointer_bits: u32,
    /// The address variable of each instance.
    addresses: Vec<ExprId>,
    instances: FxHashMap<VarId, Instance>,
    fresh: FxHashMap<(u32, u32, Source), ExprId>,
    sources: FxHashMap<VarId, (u32, Source)>,
    /// As far as it was asked.
    has_address: SecondaryMap<ExprId, Option<bool>>,
    twins: FxHashMap<VarId, ExprId>,
    /// The variables for places in nodes of lists, by offset and length.
    pub(super) placeholders: FxHashMap<(u64, u32), ExprId>,
    /// Of the values of nodes that were unfolded, the place in the node.
    pub(super) nodes: FxHashMap<VarId, ExprId>,
    /// Objects from this number on were made in the loop under way.
    pub(super) young: u32,
    pub(super) marks: Rc<Marks>,
    pub(super) options: Options,
    /// What the entry is given, if it is not `main`.
    pub(super) given: Option<Entry>,
    /// With these, arbitrary values are not arbitrary: a path is walked again.
    pub(super) replay: Option<Replay>,
    /// No signal arrives on the paths followed: they are real, but not all there are.
    pub(super) undisturbed: bool,
    /// Takes down which variable each arbitrary value is.
    pub(super) log: Option<Known>,
    /// What is being looked at in memory.
    pub(super) looked: Option<Looked>,
    /// With these, large arrays are followed by one element: a proof is looked for.
    pub(super) ghosts: Option<Ghosts>,
    pub(super) plains: Plains,
    pub(super) reentries: Reentries,
    /// What nobody knows of the demand that was asked last.
    pub(super) doubted: Option<VarId>,
}

/// How library functions behave, and what is asked for beside verdicts.
#[derive(Debug, Clone, Copy, Default)]
pub struct Options {
    /// Every allocation may return null.
    pub malloc_may_fail: bool,
    /// Memory must be freed, also where the program ends itself.
    pub frees_all: bool,
    /// Proofs tell what holds at the heads of loops.
    pub tells_invariants: bool,
}

/// What arbitrary values are.
#[derive(Debug)]
pub(super) enum Inputs {
    /// What the solver says.
    Found(Model),
    Drawn(Draw),
}

#[derive(Debug)]
pub(super) struct Replay {
    pub inputs: Inputs,
    /// How many were drawn.
    pub drawn: u32,
    /// Values that were never set stay arbitrary, because they are what is asked about.
    pub keeps_unset: bool,
    /// Which variable each of them is; without it, that of the same number.
    pub known: Option<Known>,
    /// These stay arbitrary, too: nothing depends on them.
    pub kept: crate::cegas::persistent::HashSet<VarId>,
}

impl<'p> Machine<'p> {
    pub fn new(program: &'p Program, marks: Rc<Marks>, options: Options) -> Self {
        Machine {
            program,
            smt: Solver::new(),
            pointer_bits: program.machine.pointer_bits,
            addresses: Vec::new(),
            instances: FxHashMap::default(),
            fresh: FxHashMap::default(),
            sources: FxHashMap::default(),
            has_address: SecondaryMap::new(),
            twins: FxHashMap::default(),
            placeholders: FxHashMap::default(),
            nodes: FxHashMap::default(),
            young: u32::MAX,
            marks,
            options,
            given: None,
            replay: None,
            undisturbed: false,
            log: None,
            looked: None,
            ghosts: None,
            plains: Plains::default(),
            reentries: Reentries::default(),
            doubted: None,
        }
    }

    /// The objects that are there before anything runs: globals, then functions.
    pub fn initial_memory(&mut self) -> Memory {
        let mut memory = Memory::default();
        for (id, global) in &self.program.globals {
            let background = match global.init {
                Some(_) => Background::Init(id),
                None => Background::Outside,
            };
            let size = self.pointer_const(global.size);
            memory.push(object(Origin::Global(id), size, background));
        }
        for id in self.program.funcs.keys() {
            let size = self.pointer_const(1);
            memory.push(object(Origin::Func(id), size, Background::Outside));
        }
        self.change_globals(&mut memory);
        memory
    }

    pub(super) fn global_instance(&self, global: GlobalId) -> Instance {
        Instance(global.as_u32())
    }

    /// The address of an instance.
    pub fn address(&mut self, instance: Instance) -> ExprId {
        while self.addresses.len() <= instance.0 as usize {
            let next = self.addresses.len() as u32;
            let expr = self.smt.pool.var(&format!("&{next}"), Sort::Bits(self.pointer_bits));
            self.addresses.push(expr);
            self.instances.insert(self.smt.pool.node(expr).var(), Instance(next));
        }
        self.addresses[instance.0 as usize]
    }

    pub(super) fn instance_of(&self, var: VarId) -> Option<Instance> {
        self.instances.get(&var).copied()
    }

    pub fn source_of(&self, var: VarId) -> Option<(u32, Source)> {
        self.sources.get(&var).copied()
    }

    /// The next arbitrary value of the path.
    pub(super) fn fresh(&mut self, state: &mut State, bits: u32, source: Source) -> ExprId {
        let number = state.fresh;
        let var = match self.replay.as_ref().is_some_and(|replay| replay.known.is_some()) {
            true => match self.same_value(state).filter(|&var| self.smt.pool.width(var) == bits) {
                Some(var) => var,
                // Nothing depends on it.
                None => self.smt.pool.var("any", Sort::Bits(bits)),
            },
            false => {
                let var = self.numbered(number, bits, source);
                self.take_down_value(state, var);
                var
            }
        };
        match &mut self.replay {
            Some(replay) if replay.keeps_unset && is_unset(source) => var,
            Some(replay) if replay.kept.contains(&self.smt.pool.node(var).var()) => var,
            Some(replay) => {
                let value = match &replay.inputs {
                    Inputs::Found(model) => model.bits(self.smt.pool.node(var).var()),
                    Inputs::Drawn(draw) if source == Source::Input => {
                        replay.drawn += 1;
                        draw.bits(replay.drawn - 1, bits)
                    }
                    Inputs::Drawn(draw) if is_unset(source) => draw.unset(bits),
                    Inputs::Drawn(_) => 0,
                };
                self.smt.pool.constant(value, bits)
            }
            None => var,
        }
    }

    /// The variable of that number.
    pub(super) fn numbered(&mut self, number: u32, bits: u32, source: Source) -> ExprId {
        if let Some(&var) = self.fresh.get(&(number, bits, source)) {
            return var;
        }
        let name = format!("{source:?}{number}").to_lowercase();
        let var = self.smt.pool.var(&name, Sort::Bits(bits));
        self.fresh.insert((number, bits, source), var);
        self.sources.insert(self.smt.pool.node(var).var(), (number, source));
        var
    }

    /// An arbitrary value that was chosen before the execution began.
    pub(super) fn known_before(&mut self, value: ExprId) {
        self.sources.insert(self.smt.pool.node(value).var(), (0, Source::Widened));
    }

    /// Another arbitrary value of the same kind.
    pub(super) fn twin(&mut self, var: VarId) -> ExprId {
        if let Some(&twin) = self.twins.get(&var) {
            return twin;
        }
        let name = format!("{}'", self.smt.pool.name(var));
        let twin = self.smt.pool.var(&name, self.smt.pool.var_sort(var));
        self.twins.insert(var, twin);
        twin
    }

    /// What another machine's variable is here: the one with the same number on its path.
    pub(super) fn same_variable(&self, other: &Machine<'_>, var: VarId) -> Option<VarId> {
        let expr = match other.source_of(var) {
            Some((number, source)) => {
                let bits = other.smt.pool.width(other.smt.pool.var_expr(var));
                self.fresh.get(&(number, bits, source))?
            }
            None => {
                let of =
                    other.twins.iter().find(|(_, twin)| other.smt.pool.node(**twin).var() == var);
                self.twins.get(&self.same_variable(other, *of?.0)?)?
            }
        };
        Some(self.smt.pool.node(*expr).var())
    }

    /// Whether an address variable occurs in the expression.
    pub(super) fn speaks_of_addresses(&mut self, expr: ExprId) -> bool {
        if let Some(known) = self.has_address[expr] {
            return known;
        }
        let mut stack = vec![(expr, false)];
        while let Some((e, ready)) = stack.pop() {
            if self.has_address[e].is_some() {
                continue;
            }
            let node = self.smt.pool.node(e);
            if node.op == crate::smt::Op::Var {
                let is_address = self.instances.contains_key(&node.var());
                self.has_address[e] = Some(is_address);
            } else if ready {
                let any = node.children().any(|c| self.has_address[c] == Some(true));
                self.has_address[e] = Some(any);
            } else {
                stack.push((e, true));
                stack.extend(node.children().map(|child| (child, false)));
            }
        }
        self.has_address[expr] == Some(true)
    }

    /// The execution goes on only where `cond` holds.
    pub(super) fn assume(&mut self, state: &mut State, cond: ExprId) -> Step<()> {
        if state.assumed.last() == Some(&cond) { Ok(()) } else { self.assume_again(state, cond) }
    }

    /// The same, also if it was the last thing assumed.
    pub(super) fn assume_again(&mut self, state: &mut State, cond: ExprId) -> Step<()> {
        match self.smt.pool.as_const(cond) {
            Some(0) => Err(Stop::End),
            Some(_) => Ok(()),
            None if self.speaks_of_addresses(cond) => {
                state.doubt("where objects lie in memory");
                Ok(())
            }
            None => {
                state.assumed.push_back(cond);
                Ok(())
            }
        }
    }

    pub(super) fn pointer_const(&mut self, value: u64) -> ExprId {
        self.smt.pool.constant(
            u128::from(value) & crate::smt::value::mask(self.pointer_bits),
            self.pointer_bits,
        )
    }

    /// The bits of a scalar type that expressions can hold.
    pub(super) fn scalar_bits(&self, ty: TypeId) -> Option<u32> {
        self.program.types.scalar_bits(ty, self.pointer_bits).filter(|&bits| bits <= MAX_WIDTH)
    }

    pub(super) fn is_pointer_type(&self, ty: TypeId) -> bool {
        matches!(self.program.types.get(ty), Type::Ptr)
    }

    pub(super) fn operand(&mut self, state: &mut State, operand: Operand) -> Step<Value> {
        match operand {
            Operand::Value(value) => self.value(state, value),
            Operand::Const(constant) => self.constant(state, constant),
        }
    }

    fn value(&mut self, state: &State, value: ValueId) -> Step<Value> {
        let known = state.top().and_then(|frame| frame.values.get(&value)).cloned();
        known.map_or_else(|| gap(format!("{value} has no value")), Ok)
    }

    /// A scalar operand.
    pub(super) fn bits(&mut self, state: &mut State, operand: Operand) -> Step<ExprId> {
        match self.operand(state, operand)?.bits() {
            Some(bits) => Ok(bits),
            None => gap("an aggregate where a scalar is expected"),
        }
    }

    /// An arbitrary value of a type.
    pub(super) fn arbitrary(
        &mut self,
        state: &mut State,
        ty: TypeId,
        source: Source,
    ) -> Step<Value> {
        if let Some(bits) = self.scalar_bits(ty) {
            let source = match source {
                Source::Uninit if self.is_pointer_type(ty) => Source::Junk,
                other => other,
            };
            return Ok(Value::Bits(self.fresh(state, bits, source)));
        }
        let parts = self.parts(ty)?;
        let parts: Step<Vec<Value>> =
            parts.into_iter().map(|part| self.arbitrary(state, part, source)).collect();
        Ok(Value::Parts(parts?.into()))
    }

    /// The types of an aggregate's parts.
    pub(super) fn parts(&self, ty: TypeId) -> Step<Vec<TypeId>> {
        const MOST: u64 = 4096;
        match self.program.types.get(ty) {
            Type::Struct { fields } => Ok(fields.iter().map(|field| field.ty).collect()),
            Type::Array { elem, len } | Type::Vector { elem, len } if *len <= MOST => {
                Ok(vec![*elem; *len as usize])
            }
            _ => gap("a value too wide to compute with"),
        }
    }

    pub(super) fn constant(&mut self, state: &mut State, id: ConstId) -> Step<Value> {
        let ty = self.program.consts.ty(id);
        let bits = self.scalar_bits(ty);
        match (self.program.consts.get(id), bits) {
            (Const::Int(value) | Const::Float(value), Some(bits)) => {
                Ok(Value::Bits(self.smt.pool.constant(*value, bits)))
            }
            (Const::Null, Some(bits)) => Ok(Value::Bits(self.smt.pool.constant(0, bits))),
            (Const::Zero, Some(bits)) => Ok(Value::Bits(self.smt.pool.constant(0, bits))),
            (Const::Zero, None) => self.zero(ty),
            (Const::Undef | Const::Poison, _) => self.arbitrary(state, ty, Source::Unspecified),
            (Const::Aggregate(parts), _) => {
                let parts: Step<Vec<Value>> =
                    parts.iter().map(|&part| self.constant(state, part)).collect();
                Ok(Value::Parts(parts?.into()))
            }
            _ if self.program.may_be_nowhere(id) => gap("a weak reference that nothing defines"),
            (Const::Global { global, offset }, _) => {
                let base = self.address(self.global_instance(*global));
                Ok(Value::Bits(self.shifted(base, *offset)))
            }
            (Const::Func(func), _) => {
                let number = self.program.globals.len() as u32 + func.as_u32();
                Ok(Value::Bits(self.address(Instance(number))))
            }
            (Const::Block { block, .. }, Some(bits)) => {
                Ok(Value::Bits(self.smt.pool.constant(label_address(block.as_u32()), bits)))
            }
            (Const::Expr(expr), Some(bits)) => {
                let value = self.const_expr(state, expr, bits)?;
                Ok(Value::Bits(value))
            }
            (Const::Unsupported(what), _) => gap(self.program.texts.get(*what)),
            (Const::Int(_) | Const::Float(_) | Const::Wide(_) | Const::Null, _) => {
                gap("an integer of more than 128 bits")
            }
            (Const::Block { .. } | Const::Expr(_), None) => gap("a constant aggregate"),
        }
    }

    fn zero(&mut self, ty: TypeId) -> Step<Value> {
        if let Some(bits) = self.scalar_bits(ty) {
            return Ok(Value::Bits(self.smt.pool.constant(0, bits)));
        }
        let parts: Step<Vec<Value>> = self.parts(ty)?.into_iter().map(|p| self.zero(p)).collect();
        Ok(Value::Parts(parts?.into()))
    }

    fn const_expr(&mut self, state: &mut State, expr: &ConstExpr, bits: u32) -> Step<ExprId> {
        let mut scalar = |machine: &mut Self, id| match machine.constant(state, id)?.bits() {
            Some(bits) => Ok(bits),
            None => gap("a constant aggregate"),
        };
        match *expr {
            ConstExpr::Cast { op, value } => {
                let from = self.program.consts.ty(value);
                let value = scalar(self, value)?;
                self.cast(op, value, from, bits)
            }
            ConstExpr::Binary { op, lhs, rhs } => {
                let (lhs, rhs) = (scalar(self, lhs)?, scalar(self, rhs)?);
                self.int_binary(op, lhs, rhs)
            }
            ConstExpr::Offset { base, offset } => {
                let base = scalar(self, base)?;
                Ok(self.shifted(base, offset))
            }
        }
    }

    pub(super) fn shifted(&mut self, base: ExprId, offset: i64) -> ExprId {
        let offset = self.pointer_const(offset as u64);
        self.smt.pool.add(base, offset)
    }

    /// Where an instruction stands, for people.
    pub fn place(&self, at: InstId) -> String {
        match self.program.loc(at) {
            Some(loc) => {
                let file = std::path::Path::new(&self.program.debug.files[loc.file].name);
                let name = file.file_name().unwrap_or(file.as_os_str()).to_string_lossy();
                format!("{name}:{}", loc.line)
            }
            None => self.program.funcs[self.program.func_of(at)].name.clone(),
        }
    }
}

pub(super) fn object(origin: Origin, size: ExprId, background: Background) -> Object {
    Object { origin, life: Life::Live, size, background, cells: OrdMap::new(), chain: None }
}

/// Labels have numbers far from anything else; only computed gotos look at them.
pub(super) fn label_address(block: u32) -> u128 {
    0x6000_0000_0000 + u128::from(block) * 16
}
