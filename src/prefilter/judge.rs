//! What the facts at a place say of a value there.

use super::body::Body;
use super::facts::{Fact, Set};
use super::known::Known;
use super::numbers::{Made, Number};
use super::objects;
use super::range::Range;
use super::ranges::Ranges;
use super::whole::external;
use crate::ir::{BlockId, Const, Def, Inst, InstId, Operand};

/// Expressions are looked into this deep.
pub const DEEPEST: u32 = 12;

impl Body<'_> {
    /// What is known of a value at a place.
    pub fn known(&mut self, operand: Operand, at: InstId, set: &Set) -> Known {
        let block = self.program.insts[at].block;
        let range = match self.program.is_pointer(operand) {
            true => Range::ANY,
            false => self.ranges().of(operand, block),
        };
        Known { range, ..self.facts(operand, at, set) }
    }

    pub fn ranges(&self) -> Ranges<'_> {
        Ranges::new(self.program, &self.guards, &self.numbers, &self.leaves)
    }

    /// The same without the range.
    pub(super) fn facts(&mut self, operand: Operand, at: InstId, set: &Set) -> Known {
        let number = self.number(operand);
        let is_pointer = self.program.is_pointer(operand);
        let block = self.program.insts[at].block;
        Known {
            object: is_pointer && self.is_object(number, set),
            sane: is_pointer && self.is_sane(number, set),
            text: is_pointer && self.is_text(number, set),
            offset: if is_pointer { self.offset(number, block) } else { Range::ANY },
            bytes: if is_pointer { self.bytes(number, block, set) } else { (0, 0) },
            live: is_pointer && self.is_alive(number, at, set),
            start: is_pointer && self.is_start(number, set),
            set: self.is_set(number, set, DEEPEST),
            range: Range::ANY,
            kept: false,
        }
    }

    fn has(&self, fact: Fact, set: &Set) -> bool {
        self.universe.find(fact).is_some_and(|id| set.has(id))
    }

    /// The variable that a pointer is computed from.
    pub fn variable(&self, pointer: Number) -> Option<objects::Base> {
        match self.numbers.made[self.numbers.source(pointer)] {
            Made::Const(constant) => match self.program.consts.get(constant) {
                Const::Global { global, .. } => {
                    let is_there = objects::is_there(&self.program.globals[*global]);
                    is_there.then_some(objects::Base::Global(*global))
                }
                _ => None,
            },
            Made::Value(value) => match self.program.values[value].def {
                Def::Inst(site) if matches!(self.program.inst(site), Inst::Alloca { .. }) => {
                    Some(objects::Base::Local(site))
                }
                Def::Inst(_) | Def::Param { .. } => None,
            },
            _ => None,
        }
    }

    pub fn is_object(&self, pointer: Number, set: &Set) -> bool {
        let source = self.numbers.source(pointer);
        self.variable(pointer).is_some()
            || self.has(Fact::Object(source), set)
            || match self.numbers.made[source] {
                Made::Select(_, then, els) => self.is_object(then, set) && self.is_object(els, set),
                Made::Const(constant) => match *self.program.consts.get(constant) {
                    Const::Func(func) => objects::has_address(&self.program.funcs[func]),
                    _ => false,
                },
                _ => false,
            }
    }

    /// Whether it is null or points into an object.
    pub fn is_sane(&self, pointer: Number, set: &Set) -> bool {
        self.has(Fact::Sane(pointer), set)
            || self.is_object(pointer, set)
            || match self.numbers.made[pointer] {
                Made::Const(constant) => *self.program.consts.get(constant) == Const::Null,
                Made::Select(_, then, els) => self.is_sane(then, set) && self.is_sane(els, set),
                _ => false,
            }
    }

    /// Whether it points into what nobody ever writes to, and a zero byte comes before the end of that.
    pub fn is_text(&self, pointer: Number, set: &Set) -> bool {
        self.has(Fact::Text(pointer), set)
            || match self.numbers.made[pointer] {
                Made::Const(constant) => objects::is_text(self.program, constant),
                Made::Select(_, then, els) => self.is_text(then, set) && self.is_text(els, set),
                _ => false,
            }
    }

    pub fn is_zero(&self, number: Number) -> bool {
        self.constant(number).is_some_and(|c| matches!(c, Const::Null | Const::Int(0)))
    }

    pub fn is_null_constant(&self, number: Number) -> bool {
        self.constant(number).is_some_and(|c| *c == Const::Null)
    }

    /// Whether a pointer has the address of a byte of an object: one that was moved far from its object may have any address, and
    /// that of null, too.
    pub fn is_at_object(&self, pointer: Number, block: BlockId, set: &Set) -> bool {
        let (lo, hi) = self.bytes(pointer, block, set);
        lo <= 0 && 0 < hi && self.is_object(pointer, set)
    }

    pub fn is_one(&self, number: Number) -> bool {
        self.constant(number).is_some_and(|c| *c == Const::Int(1))
    }

    fn constant(&self, number: Number) -> Option<&Const> {
        match self.numbers.made[number] {
            Made::Const(constant) => Some(self.program.consts.get(constant)),
            _ => None,
        }
    }

    /// Whether it has one bit.
    pub fn is_truth(&self, number: Number) -> bool {
        self.numbers.value(number).is_some_and(|value| {
            let ty = self.program.values[value].ty;
            self.program.types.scalar_bits(ty, self.program.machine.pointer_bits) == Some(1)
        })
    }

    /// The bytes around a pointer that are known to lie in its object where `block` runs.
    pub fn bytes(&self, pointer: Number, block: BlockId, set: &Set) -> (i64, i64) {
        let (root, offset) = self.numbers.place(pointer);
        let told = self.universe.hull(root, set);
        let made = match self.numbers.made[root] {
            Made::Const(constant) => match self.program.consts.get(constant) {
                Const::Global { offset, .. } => Some(*offset),
                _ => None,
            },
            Made::Value(_) => Some(0),
            _ => None,
        };
        let size = self.variable(root).and_then(|base| objects::size(self.program, base));
        let size = size.and_then(|size| i64::try_from(size).ok());
        let own = made.zip(size).map(|(start, size)| (-start, size - start));
        let both = own.into_iter().chain(told).reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)));
        let moved = |(lo, hi): (i64, i64)| Some((lo.checked_sub(offset)?, hi.checked_sub(offset)?));
        let told = both.and_then(moved).filter(|(lo, hi)| lo < hi);
        let placed = || self.bytes_by_offset(pointer, block);
        let placed = if self.is_object(pointer, set) { placed() } else { None };
        let all = told.into_iter().chain(placed);
        all.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1))).unwrap_or((0, 0))
    }

    /// Whether it points into what nobody ever writes to.
    pub fn is_constant(&self, pointer: Number) -> bool {
        match self.variable(pointer) {
            Some(objects::Base::Global(global)) => {
                let global = &self.program.globals[global];
                global.constant && global.init.is_some()
            }
            Some(objects::Base::Local(_)) | None => false,
        }
    }

    pub fn is_alive(&mut self, pointer: Number, at: InstId, set: &Set) -> bool {
        let source = self.numbers.source(pointer);
        match self.variable(pointer) {
            Some(objects::Base::Global(_)) => return true,
            _ if self.twice => return false,
            Some(objects::Base::Local(made)) => {
                return self.lives.is_alive(self.program, made, at);
            }
            None => {}
        }
        if self.has(Fact::Live(source), set) {
            return true;
        }
        if let Made::Select(_, then, els) = self.numbers.made[source] {
            return self.is_alive(then, at, set) && self.is_alive(els, at, set);
        }
        let value = self.numbers.value(source);
        value.zip(self.whole).is_some_and(|(value, whole)| whole.stays(value))
    }

    /// Whether a pointer is null or the start of something that was allocated.
    pub fn is_start(&self, pointer: Number, set: &Set) -> bool {
        if self.twice {
            return false;
        }
        match self.numbers.made[pointer] {
            Made::Const(constant) => matches!(self.program.consts.get(constant), Const::Null),
            Made::Select(_, then, els) => self.is_start(then, set) && self.is_start(els, set),
            _ => self.has(Fact::Start(pointer), set),
        }
    }

    /// Whether the value depends on nothing that was never set.
    pub fn is_set(&self, number: Number, set: &Set, depth: u32) -> bool {
        if self.has(Fact::Set(number), set) {
            return true;
        }
        let Some(depth) = depth.checked_sub(1) else { return false };
        let is_set = |number: Number| self.is_set(number, set, depth);
        match &self.numbers.made[number] {
            Made::Const(_) => true,
            Made::Any(_) | Made::Load(..) => false,
            Made::Value(value) => match self.program.values[*value].def {
                Def::Param { .. } => false,
                Def::Inst(inst) => match self.program.insts[inst].inst {
                    Inst::Alloca { .. } => true,
                    // What comes from outside is arbitrary, but it is set.
                    Inst::Call { .. } => external(self.program, inst).is_some(),
                    _ => false,
                },
            },
            Made::Binary(_, _, a, b) | Made::Overflow(_, a, b) | Made::Compare(_, a, b) => {
                is_set(*a) && is_set(*b)
            }
            Made::Cast(_, _, from) | Made::Behind(from, _) => is_set(*from),
            Made::Pure(_, _, args) => args.iter().all(|&arg| is_set(arg)),
            Made::Select(cond, then, els) => is_set(*cond) && is_set(*then) && is_set(*els),
            Made::Indexed(base, terms) => {
                is_set(*base) && terms.iter().all(|&(index, _)| is_set(index))
            }
        }
    }
}
