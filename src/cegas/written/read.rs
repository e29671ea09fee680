//! States from text.
//!
//! Invariants: whatever the text, the state that is made of it is a state: cells do not overlap, a list's link lies beside
//! its cells, every variable is an arbitrary number of its own and older than all that are made behind it. Whether any
//! execution is in the state is not asked here.

use super::LIVES;
use super::words::{LARGEST, MOST_FRESH, Term, func_id, number, origin, term};
use crate::cegas::ghost::Ghosts;
use crate::cegas::machine::{Machine, Source};
use crate::cegas::memory::{Background, Cell, Chain, Instance, Life, Object, Origin};
use crate::cegas::persistent::{HashMap, HashSet, OrdMap, Vector};
use crate::cegas::state::{Entry, Frame, State};
use crate::cegas::value::Value;
use crate::ir::{BlockId, FuncId, GlobalId, InstId, ValueId};
use crate::smt::{ExprId, Pool};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// Values inside each other.
const DEEPEST: u32 = 20;

/// Turns of k-induction.
const MOST_TURNS: u32 = 64;

/// What somebody says of a program: a set of states, and of functions.
#[derive(Debug, Default)]
pub(in crate::cegas) struct Proof {
    pub states: Vec<Written>,
    pub contracts: Vec<Contract>,
}

/// A state at the head of a loop.
#[derive(Debug)]
pub(in crate::cegas) struct Written {
    pub state: State,
    /// Turns behind it in which demands are taken to be met before one is judged.
    pub turns: u32,
}

/// What a function returns and leaves, given what it is given and finds.
#[derive(Debug, Clone)]
pub(in crate::cegas) struct Contract {
    pub func: FuncId,
    /// Nothing for a parameter that is what it was in the first call.
    pub given: Vec<Option<ExprId>>,
    pub finds: Vec<Spot>,
    pub returns: Option<ExprId>,
    pub leaves: Vec<Spot>,
    pub before: Vec<ExprId>,
    pub after: Vec<ExprId>,
}

/// Bytes of an object, and the variable for what lies there.
#[derive(Debug, Clone, Copy)]
pub(in crate::cegas) struct Spot {
    pub origin: Origin,
    pub offset: u64,
    pub bytes: u32,
    pub var: ExprId,
}

type Words<'t> = Vec<&'t str>;

/// Reads a text; nothing if it is none. The machine learns which arrays are followed by one element.
pub(in crate::cegas) fn read(machine: &mut Machine<'_>, text: &str) -> Option<Proof> {
    let mut terms: Vec<Term> = Vec::new();
    let mut parts: Vec<Vec<Words<'_>>> = Vec::new();
    machine.begin_ghosts();
    for line in text.lines() {
        let line = line.split('#').next().unwrap_or_default();
        let words: Words<'_> = line.split_whitespace().collect();
        match &words[..] {
            [] => {}
            ["array", at, stride] => _ = add_array(machine, at, stride)?,
            ["array", at, stride, from, to] => add_part(machine, [at, stride, from, to])?,
            ["elements", most] => {
                let most = match *most {
                    "any" => None,
                    most => Some(most.parse().ok().filter(|&count| machine.is_count(count))?),
                };
                machine.ghosts.as_mut()?.most = most;
            }
            ["state"] | ["contract", _] => parts.push(vec![words]),
            [name, "=", rest @ ..] if number(name, "t") == Some(terms.len() as u32) => {
                terms.push(term(rest, terms.len())?);
            }
            _ => parts.last_mut()?.push(words),
        }
    }
    let mut proof = Proof::default();
    for part in parts {
        let (first, rest) = part.split_first()?;
        let mut reader = Reader::new(machine, &terms);
        match first[..] {
            ["contract", func] => proof.contracts.push(reader.contract(func, rest)?),
            _ => proof.states.push(reader.state(rest)?),
        }
    }
    Some(proof)
}

/// Arrays whose elements are of a size that the machine can follow one of.
fn add_array(machine: &mut Machine<'_>, at: &str, stride: &str) -> Option<(Origin, u64)> {
    let stride: u64 = stride.parse().ok()?;
    let at = origin(machine, at)?;
    let is_array = matches!(at, Origin::Global(_) | Origin::Local(_) | Origin::Heap(_));
    let ghosts: &mut Ghosts = machine.ghosts.as_mut()?;
    (is_array && stride.is_power_of_two() && stride <= 64).then_some(())?;
    ghosts.strides.insert(at, stride);
    Some((at, stride))
}

/// Those that are a part of their object.
fn add_part(machine: &mut Machine<'_>, [at, stride, from, to]: [&str; 4]) -> Option<()> {
    let (at, stride) = add_array(machine, at, stride)?;
    let (from, to): (u64, u64) = (from.parse().ok()?, to.parse().ok()?);
    let len = to.checked_sub(from)?;
    (len > 0 && len.is_multiple_of(stride) && to <= u64::from(u32::MAX)).then_some(())?;
    machine.ghosts.as_mut()?.parts.insert(at, (from, to));
    Some(())
}

/// Makes one state, or what is said of one function.
struct Reader<'r, 'p> {
    machine: &'r mut Machine<'p>,
    terms: &'r [Term],
    state: State,
    done: FxHashMap<usize, ExprId>,
    /// The variables by what the text calls them, and those that are taken.
    vars: FxHashMap<(u32, Option<u32>, &'r str), ExprId>,
    taken: FxHashSet<ExprId>,
    objects: FxHashMap<u32, Instance>,
}

impl<'r, 'p> Reader<'r, 'p> {
    fn new(machine: &'r mut Machine<'p>, terms: &'r [Term]) -> Self {
        let memory = machine.initial_memory();
        let known = (0..memory.len() as u32).map(|number| (number, Instance(number))).collect();
        Reader {
            machine,
            terms,
            state: State::new(memory, Vector::new(), Vector::new()),
            done: FxHashMap::default(),
            vars: FxHashMap::default(),
            taken: FxHashSet::default(),
            objects: known,
        }
    }

    fn contract(&mut self, func: &str, lines: &[Words<'_>]) -> Option<Contract> {
        let func = func_id(self.machine, number(func, "f")?)?;
        let (given, finds, returns, leaves, before, after) = Default::default();
        let mut contract = Contract { func, given, finds, returns, leaves, before, after };
        // What it says is said of other variables where it is used.
        self.state.fresh = MOST_FRESH;
        for line in lines {
            let (name, words) = line.split_first()?;
            match *name {
                "given" => {
                    for &word in words {
                        let var = if word == "-" { None } else { Some(self.expr(word)?) };
                        contract.given.push(var);
                    }
                }
                "finds" => contract.finds.push(self.spot(words)?),
                "returns" => contract.returns = self.exprs(words)?.first().copied(),
                "leaves" => contract.leaves.push(self.spot(words)?),
                "before" => contract.before = self.exprs(words)?,
                "after" => contract.after = self.exprs(words)?,
                _ => return None,
            }
        }
        let conditions = contract.before.iter().chain(&contract.after);
        let is_said = conditions.copied().all(|e| self.is_condition(e));
        is_said.then_some(contract)
    }

    fn exprs(&mut self, words: &[&str]) -> Option<Vec<ExprId>> {
        words.iter().map(|word| self.expr(word)).collect()
    }

    fn spot(&mut self, words: &[&str]) -> Option<Spot> {
        let &[at, offset, bytes, var] = words else { return None };
        let offset = offset.parse().ok().filter(|offset| *offset < LARGEST)?;
        let bytes = bytes.parse().ok().filter(|bytes| (1..=16).contains(bytes))?;
        Some(Spot { origin: origin(self.machine, at)?, offset, bytes, var: self.expr(var)? })
    }

    fn is_condition(&mut self, e: ExprId) -> bool {
        self.machine.smt.pool.width(e) == 1 && !self.machine.speaks_of_addresses(e)
    }

    fn state(&mut self, lines: &[Words<'_>]) -> Option<Written> {
        let mut turns = 0;
        // Objects first: everything may speak of them.
        for line in lines {
            match line[..] {
                ["object", name, ..] => {
                    let name = number(name, "o")?;
                    if !self.objects.contains_key(&name) {
                        let size = self.machine.pointer_const(0);
                        let instance = self.state.memory.push(empty(size));
                        self.objects.insert(name, instance);
                    }
                }
                ["fresh", count] => {
                    self.state.fresh = count.parse().ok().filter(|count| *count < MOST_FRESH)?;
                }
                ["turns", count] => turns = count.parse().ok().filter(|t| *t <= MOST_TURNS)?,
                _ => {}
            }
        }
        let mut last: Option<Instance> = None;
        for line in lines {
            match line[..] {
                ["object", name, at, life, size, ref background @ ..] => {
                    let instance = *self.objects.get(&number(name, "o")?)?;
                    let life = LIVES.iter().find(|(_, known)| *known == life)?.0;
                    let (size, origin) = (self.expr(size)?, origin(self.machine, at)?);
                    self.is_wide(size, self.machine.pointer_bits)?;
                    let background = self.background(background)?;
                    let object = Object { origin, life, background, ..empty(size) };
                    self.state.memory.put(instance, object);
                    last = Some(instance);
                }
                ["cell", offset, bytes, value] => self.cell(last?, offset, bytes, value)?,
                ["list", link, many, tail, ref facts @ ..] => {
                    self.list(last?, link, many, tail, facts)?;
                }
                _ => self.line(line)?,
            }
        }
        self.state.choices = 1;
        self.state.doubt("a state that was given");
        Some(Written { state: self.state.clone(), turns })
    }

    fn line(&mut self, words: &[&str]) -> Option<()> {
        let program = self.machine.program;
        match *words {
            ["fresh" | "turns", _] => {}
            ["frame", func, block, at, call] => {
                let func = func_id(self.machine, number(func, "f")?)?;
                let block = number(block, "b").filter(|b| (*b as usize) < program.blocks.len())?;
                let inst = |word: &str| {
                    let at = number(word, "i").filter(|i| (*i as usize) < program.insts.len())?;
                    Some(InstId::from_u32(at))
                };
                let call = if call == "-" { None } else { Some(inst(call)?) };
                // No call is taken to repeat one that was written.
                let entry =
                    Entry { args: Vec::new(), memory: Default::default(), choices: u32::MAX };
                self.state.frames.push_back(Frame {
                    func,
                    block: BlockId::from_u32(block),
                    at: inst(at)?,
                    values: HashMap::new(),
                    locals: Vector::new(),
                    varargs: Vector::new(),
                    call,
                    entry: Rc::new(entry),
                });
            }
            ["value", name, ref value @ ..] => {
                let id = number(name, "v").filter(|v| (*v as usize) < program.values.len())?;
                let value = self.whole(value)?;
                self.state.top_mut()?.values.insert(ValueId::from_u32(id), value);
            }
            ["vararg", ref value @ ..] => {
                let value = self.whole(value)?;
                self.state.top_mut()?.varargs.push_back(value);
            }
            ["local", name] => {
                let instance = *self.objects.get(&number(name, "o")?)?;
                self.state.top_mut()?.locals.push_back(instance);
            }
            ["pending", ref funcs @ ..] => self.state.pending = self.funcs(funcs)?,
            ["closing", ref funcs @ ..] => self.state.closing = self.funcs(funcs)?,
            ["trusted", ref funcs @ ..] => self.state.trusted = self.funcs(funcs)?,
            ["handled", ref signals @ ..] => {
                let signals: Option<HashSet<u128>> =
                    signals.iter().map(|signal| signal.parse::<u128>().ok()).collect();
                self.state.handled = signals?;
            }
            ["exposed", ref names @ ..] => {
                let known =
                    |name: &&str| number(name, "o").and_then(|o| self.objects.get(&o).copied());
                self.state.exposed = names.iter().map(known).collect::<Option<HashSet<_>>>()?;
            }
            ["last-read", name] => {
                let read = self.expr(name)?;
                self.is_condition(read).then(|| self.state.last_read = Some(read))?;
            }
            ["holds", name] => {
                let condition = self.expr(name)?;
                self.is_condition(condition).then(|| self.state.assumed.push_back(condition))?;
            }
            _ => return None,
        }
        Some(())
    }

    fn funcs(&self, names: &[&str]) -> Option<Vector<FuncId>> {
        names.iter().map(|name| func_id(self.machine, number(name, "f")?)).collect()
    }

    fn is_wide(&self, e: ExprId, bits: u32) -> Option<()> {
        (self.machine.smt.pool.width(e) == bits).then_some(())
    }

    fn background(&mut self, words: &[&str]) -> Option<Background> {
        Some(match *words {
            ["zero"] => Background::Zero,
            ["unset"] => Background::Uninit,
            ["outside"] => Background::Outside,
            ["text"] => Background::Text,
            ["arguments", count] => Background::Arguments { count: self.expr(count)? },
            [init] => {
                let global = number(init, "init")?;
                let is_there = (global as usize) < self.machine.program.globals.len();
                Background::Init(is_there.then(|| GlobalId::from_u32(global))?)
            }
            _ => return None,
        })
    }

    fn cell(&mut self, of: Instance, offset: &str, bytes: &str, value: &str) -> Option<()> {
        let offset: u64 = offset.parse().ok().filter(|offset| *offset < LARGEST)?;
        let bytes: u32 = bytes.parse().ok().filter(|bytes| (1..=16).contains(bytes))?;
        let value = self.expr(value)?;
        self.is_wide(value, bytes * 8)?;
        let object = self.state.memory.get_mut(of)?;
        // A list is said behind its cells.
        object.chain.is_none().then_some(())?;
        object.write(&mut self.machine.smt.pool, offset, Cell { bytes, value });
        Some(())
    }

    fn list(
        &mut self,
        of: Instance,
        link: &str,
        many: &str,
        tail: &str,
        facts: &[&str],
    ) -> Option<()> {
        let link: u64 = link.parse().ok().filter(|link| *link < LARGEST)?;
        let tail = self.expr(tail)?;
        self.is_wide(tail, self.machine.pointer_bits)?;
        let facts: Option<Vec<ExprId>> = facts.iter().map(|fact| self.expr(fact)).collect();
        let facts = facts?;
        facts.iter().all(|&fact| self.is_condition(fact)).then_some(())?;
        let mut object = self.state.memory.get(of)?.clone();
        let end = link + u64::from(self.machine.pointer_bits / 8);
        let is_beside =
            |(at, cell): (&u64, &Cell)| at + u64::from(cell.bytes) <= link || end <= *at;
        object.cells.iter().all(is_beside).then_some(())?;
        (object.life == Life::Live && matches!(object.origin, Origin::Heap(_))).then_some(())?;
        let may_be_empty = many == "any";
        object.chain = Some(Rc::new(Chain { link, tail, may_be_empty, facts }));
        self.state.memory.put(of, object);
        Some(())
    }

    /// A value, which may be made of others.
    fn whole(&mut self, words: &[&str]) -> Option<Value> {
        let mut at = 0;
        let value = self.part(words, &mut at, 0)?;
        (at == words.len()).then_some(value)
    }

    fn part(&mut self, words: &[&str], at: &mut usize, depth: u32) -> Option<Value> {
        let word = *words.get(*at).filter(|_| depth < DEEPEST)?;
        *at += 1;
        if word != "(" {
            return Some(Value::Bits(self.expr(word)?));
        }
        let mut parts = Vec::new();
        while *words.get(*at)? != ")" {
            parts.push(self.part(words, at, depth + 1)?);
        }
        *at += 1;
        Some(Value::Parts(parts.into()))
    }

    /// The expression of that name.
    fn expr(&mut self, name: &str) -> Option<ExprId> {
        let root = number(name, "t").map(|at| at as usize).filter(|at| *at < self.terms.len())?;
        let mut stack = vec![root];
        while let Some(&at) = stack.last() {
            if self.done.contains_key(&at) {
                stack.pop();
                continue;
            }
            if let Term::Made(_, of) = &self.terms[at] {
                let open: Vec<usize> =
                    of.iter().copied().filter(|part| !self.done.contains_key(part)).collect();
                if !open.is_empty() {
                    stack.extend(open);
                    continue;
                }
            }
            let made = self.made(at)?;
            self.done.insert(at, made);
        }
        self.done.get(&root).copied()
    }

    fn made(&mut self, at: usize) -> Option<ExprId> {
        Some(match &self.terms[at] {
            Term::Const(bits, value) => self.machine.smt.pool.constant(*value, *bits),
            Term::Var(bits, number, name) => self.variable(*bits, *number, name)?,
            Term::Address(object) => {
                let instance = *self.objects.get(object)?;
                self.machine.address(instance)
            }
            Term::Element => self.machine.ghosts.as_ref()?.index,
            Term::Node(offset, bytes) => self.machine.placeholder(*offset, *bytes),
            Term::Made(operation, of) => {
                let of: Option<Vec<ExprId>> =
                    of.iter().map(|part| self.done.get(part).copied()).collect();
                let pool: &mut Pool = &mut self.machine.smt.pool;
                pool.operation(*operation, &of?)?
            }
        })
    }

    /// An arbitrary number: that of the number it had, so that what is made behind it has the numbers it had, too.
    fn variable(&mut self, bits: u32, number: Option<u32>, name: &'r str) -> Option<ExprId> {
        if let Some(&known) = self.vars.get(&(bits, number, name)) {
            return Some(known);
        }
        // Whatever is made behind the state has a higher number.
        number.is_none_or(|number| number < self.state.fresh).then_some(())?;
        let mut var = number.map(|number| self.machine.numbered(number, bits, Source::Widened));
        if var.is_some_and(|var| self.taken.contains(&var)) {
            var = None;
        }
        let var = var.unwrap_or_else(|| self.machine.fresh(&mut self.state, bits, Source::Widened));
        self.taken.insert(var);
        self.vars.insert((bits, number, name), var);
        Some(var)
    }
}

fn empty(size: ExprId) -> Object {
    Object {
        origin: Origin::Argument,
        life: Life::Ended,
        size,
        background: Background::Uninit,
        cells: OrdMap::new(),
        chain: None,
    }
}
