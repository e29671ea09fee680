//! Where an execution stands: the call stack, what its values are, memory, and what was assumed on
//! the way. Cheap to copy.

use super::memory::{Instance, Memory};
use super::value::Value;
use crate::cegas::persistent::{HashMap, HashSet, Vector};
use crate::ir::{BlockId, FuncId, InstId, ValueId};
use crate::smt::{ExprId, Pool, VarId};
use std::rc::Rc;

/// A call that has not returned.
#[derive(Debug, Clone)]
pub struct Frame {
    pub func: FuncId,
    pub block: BlockId,
    /// The next instruction.
    pub at: InstId,
    pub values: HashMap<ValueId, Value>,
    /// The objects that end with the call.
    pub locals: Vector<Instance>,
    /// The arguments after the named ones.
    pub varargs: Vector<Value>,
    /// The call instruction in the frame below.
    pub call: Option<InstId>,
    /// How it was entered, to recognise a call that repeats itself.
    pub entry: Rc<Entry>,
}

/// What a call was entered with.
#[derive(Debug)]
pub struct Entry {
    pub args: Vec<Value>,
    pub memory: Memory,
    /// The choices made before.
    pub choices: u32,
}

#[derive(Debug, Clone)]
pub struct State {
    pub frames: Vector<Frame>,
    pub memory: Memory,
    /// What holds on this path, oldest first.
    pub assumed: Vector<ExprId>,
    /// What also holds of inputs, but need not be known where they are only passed on.
    pub deferred: Vector<ExprId>,
    /// Values that stand for more than a real execution has: what depends on them is in doubt.
    pub uncertain: HashSet<VarId>,
    /// How often the path could have gone another way.
    pub choices: u32,
    /// How often some values were picked on the way where they were too many.
    pub sampled: u32,
    /// How many arbitrary values were made on the way, and how many of them for what lay in memory.
    pub fresh: u32,
    pub contents: u32,
    /// Functions to run when the stack is empty, the next one last.
    pub pending: Vector<FuncId>,
    /// Functions to run when the program ends, the next one last.
    pub closing: Vector<FuncId>,
    /// When the last read from an array of which one element is followed was of that element.
    pub last_read: Option<ExprId>,
    /// How often the store was executed that says which element is followed, see `anchor`.
    pub anchored: u32,
    /// Functions that nobody knows and every execution calls: they are taken to come back.
    pub trusted: Vector<FuncId>,
    /// What such functions were given, and may change whenever one is called.
    pub exposed: HashSet<Instance>,
    /// The signals that the program has set a handler for.
    pub handled: HashSet<u128>,
    /// Why a violation on this path would not be certain.
    pub doubt: Option<Rc<str>>,
}

impl State {
    /// Whether any of these depends on a value that a real execution may not have.
    pub fn is_uncertain(&self, pool: &Pool, of: &[ExprId]) -> bool {
        !self.uncertain.is_empty()
            && pool.free_vars(of).iter().any(|var| self.uncertain.contains(var))
    }

    /// Before anything has run: `pending` is run from its end, then `closing`.
    pub fn new(memory: Memory, pending: Vector<FuncId>, closing: Vector<FuncId>) -> State {
        State {
            frames: Vector::new(),
            memory,
            assumed: Vector::new(),
            deferred: Vector::new(),
            uncertain: HashSet::new(),
            choices: 0,
            sampled: 0,
            fresh: 0,
            contents: 0,
            pending,
            closing,
            last_read: None,
            anchored: 0,
            trusted: Vector::new(),
            exposed: HashSet::new(),
            handled: HashSet::new(),
            doubt: None,
        }
    }

    /// What holds of the values on this path.
    pub fn conditions(&self) -> Vec<ExprId> {
        self.assumed.iter().chain(&self.deferred).copied().collect()
    }

    pub fn top(&self) -> Option<&Frame> {
        self.frames.last()
    }

    pub fn top_mut(&mut self) -> Option<&mut Frame> {
        self.frames.back_mut()
    }

    /// The function to run next, when the stack is empty.
    pub fn next_function(&mut self) -> Option<FuncId> {
        self.pending.pop_back().or_else(|| self.closing.pop_back())
    }

    pub fn set(&mut self, value: ValueId, to: Value) {
        if let Some(frame) = self.top_mut() {
            frame.values.insert(value, to);
        }
    }

    pub fn doubt(&mut self, why: &str) {
        if self.doubt.is_none() {
            self.doubt = Some(why.into());
        }
    }

    /// Whether what is beside memory and the calls is the same.
    pub fn is_alike_outside(&self, other: &State) -> bool {
        self.exposed == other.exposed
            && self.handled == other.handled
            && self.trusted == other.trusted
            && (&self.pending, &self.closing) == (&other.pending, &other.closing)
    }

    /// Whether both stand at the same place with the same values.
    pub fn same(&self, other: &State) -> bool {
        let same_frame = |(a, b): (&Frame, &Frame)| {
            a.at == b.at && a.func == b.func && a.values == b.values && a.varargs == b.varargs
        };
        self.frames.len() == other.frames.len()
            && self.assumed == other.assumed
            && self.frames.iter().zip(other.frames.iter()).all(same_frame)
            && self.memory.same(&other.memory)
            && self.exposed == other.exposed
    }
}
