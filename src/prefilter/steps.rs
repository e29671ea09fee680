//! What an instruction tells of values and takes away.
//!
//! An execution ends where it accesses memory that is not there, so behind an access its pointer is good: into
//! an object, the bytes inside it, and alive until something may end its life. What was demanded before needs not be
//! demanded again. What callees found out holds of what they were given.
//!
//! What a place holds stays set as long as only what is set is written there. That a place was set at some time since the
//! function was entered is a fact ([`Fact::Filled`]) that nothing takes away; that everything written there since is set, too, is
//! known of each version of memory ([`Known::kept`]). Both together make what is loaded set.

use super::body::{Body, Summaries};
use super::facts::{Fact, Set};
use super::judge::DEEPEST;
use super::known::{Known, Summary};
use super::numbers::{Made, Number};
use super::whole::external;
use super::{Asked, objects};
use crate::ir::{
    BinaryOp, BlockId, CastOp, Const, Def, FuncId, Inst, InstId, IntPredicate, Operand, ValueId,
};
use crate::library::accesses::Extent;
use crate::pta::ObjectKind;
use crate::rules::Demand;
use crate::rules::memory::touched;

/// Allocations that succeed unless the user says otherwise.
pub(super) const GRANTS: &[&str] = &["malloc", "calloc", "__builtin_malloc", "valloc", "strdup"];

/// Those and others return the start of something allocated, or null.
pub(super) const ALLOCATES: &[&str] = &["realloc", "aligned_alloc", "memalign"];

impl<'a> Body<'a> {
    /// Adds what is known of a value.
    pub(super) fn learn(&mut self, operand: Operand, known: Known, set: &mut Set) {
        let number = self.number(operand);
        if self.program.is_pointer(operand) {
            let source = self.numbers.source(number);
            if known.object || known.text {
                set.add(self.universe.intern(Fact::Object(source)));
            }
            if known.sane {
                set.add(self.universe.intern(Fact::Sane(number)));
            }
            if known.text {
                set.add(self.universe.intern(Fact::Text(number)));
            }
            if known.live || known.text {
                set.add(self.universe.intern(Fact::Live(source)));
            }
            if known.start {
                set.add(self.universe.intern(Fact::Start(number)));
            }
            let (root, offset) = self.numbers.place(number);
            let range = (known.bytes.0.checked_add(offset), known.bytes.1.checked_add(offset));
            if let ((Some(lo), Some(hi)), true) = (range, known.bytes.0 < known.bytes.1) {
                set.add(self.universe.intern(Fact::Bytes(root, lo, hi)));
            }
        }
        if known.set {
            self.was_set(number, set);
        }
    }

    /// What a value is made of is set if it is and what else it is made of, as long as it can be computed back. What was
    /// loaded was set where it lay.
    fn was_set(&mut self, number: Number, set: &mut Set) {
        let mut number = number;
        loop {
            set.add(self.universe.intern(Fact::Set(number)));
            number = match &self.numbers.made[number] {
                Made::Behind(root, _) => *root,
                Made::Cast(op, _, from) if objects::keeps_all(*op) => *from,
                Made::Binary(BinaryOp::Add | BinaryOp::Sub | BinaryOp::Xor, _, a, b) => {
                    let (a, b) = (*a, *b);
                    match (self.is_set(a, set, DEEPEST), self.is_set(b, set, DEEPEST)) {
                        (true, false) => b,
                        (false, true) => a,
                        _ => break,
                    }
                }
                Made::Indexed(base, terms) => {
                    let base = *base;
                    if !terms.iter().all(|&(index, _)| self.is_set(index, set, DEEPEST)) {
                        break;
                    }
                    base
                }
                Made::Load(from, ty, _) => {
                    // Of a bit-field, all bytes are read and some bits are looked at.
                    let (from, size) = (*from, objects::full_bytes(self.program, *ty));
                    let size = size.and_then(|size| i64::try_from(size).ok());
                    self.filled(from, size.unwrap_or(0), set);
                    break;
                }
                _ => break,
            };
        }
    }

    /// So many bytes behind a pointer are set now.
    fn filled(&mut self, pointer: Number, bytes: i64, set: &mut Set) {
        let (root, offset) = self.numbers.place(pointer);
        if let Some(end) = offset.checked_add(bytes).filter(|&end| end > offset) {
            set.add(self.universe.intern(Fact::Filled(root, offset, end)));
        }
    }

    /// What follows from a condition that has this value at the end of `block`. Tells whether it can have it, as far as is known.
    pub(super) fn implied(
        &mut self,
        cond: Number,
        holds: bool,
        block: BlockId,
        set: &mut Set,
    ) -> bool {
        let (mut cond, mut holds) = (cond, holds);
        for _ in 0..DEEPEST {
            let contrary = self.universe.find(Fact::Holds(cond, !holds));
            if contrary.is_some_and(|id| set.has(id)) {
                return false;
            }
            match self.numbers.made[cond] {
                Made::Compare(pred @ (IntPredicate::Eq | IntPredicate::Ne), a, b) => {
                    let are_equal = (pred == IntPredicate::Eq) == holds;
                    match (self.is_zero(b), &self.numbers.made[a]) {
                        // A truth value that was made a number.
                        (true, Made::Cast(CastOp::ZExt, _, from)) if self.is_truth(*from) => {
                            (cond, holds) = (*from, !are_equal);
                            continue;
                        }
                        _ => {}
                    }
                    match are_equal {
                        true => {
                            self.equal(cond, a, b, set);
                            for (zero, pointer) in [(b, a), (a, b)] {
                                if !self.is_null_constant(zero) {
                                    continue;
                                }
                                if self.is_at_object(pointer, block, set) {
                                    return false;
                                }
                                set.add(self.universe.intern(Fact::Sane(pointer)));
                            }
                        }
                        false => {
                            for (zero, pointer) in [(b, a), (a, b)] {
                                if self.is_zero(zero) && self.is_sane(pointer, set) {
                                    let source = self.numbers.source(pointer);
                                    set.add(self.universe.intern(Fact::Object(source)));
                                }
                            }
                        }
                    }
                }
                Made::Binary(BinaryOp::Xor, _, a, b) if self.is_one(b) && self.is_truth(a) => {
                    (cond, holds) = (a, !holds);
                    continue;
                }
                _ => {}
            }
            break;
        }
        true
    }

    /// Two values that compared equal: had one of them bits that were never set, other bits would have made them
    /// differ, and the comparison would depend on them.
    fn equal(&mut self, cond: Number, a: Number, b: Number, set: &mut Set) {
        if self.is_set(cond, set, DEEPEST) {
            for (known, other) in [(a, b), (b, a)] {
                if self.is_set(known, set, DEEPEST) {
                    self.was_set(other, set);
                }
            }
        }
    }

    /// What is demanded at an instruction holds when it is executed.
    pub fn demanded(&mut self, inst: InstId, set: &mut Set) {
        let asked: &'a Asked = self.asked;
        for obligation in asked.get(&inst).map_or(&[][..], Vec::as_slice) {
            match obligation.demand {
                Demand::Set(operand) => {
                    let number = self.number(operand);
                    self.was_set(number, set);
                }
                Demand::NonZero(cond) => {
                    let cond = self.number(cond);
                    set.add(self.universe.intern(Fact::Passed(cond, obligation.rule)));
                }
                Demand::NotReached
                | Demand::Equal(..)
                | Demand::Access { .. }
                | Demand::Free { .. }
                | Demand::Kept
                | Demand::Arguable(_)
                | Demand::Fits { .. }
                | Demand::Wraps { .. } => {}
            }
        }
    }

    /// What holds behind an instruction.
    pub fn step(&mut self, inst: InstId, set: &mut Set, summaries: &Summaries) {
        let data = self.program.insts[inst];
        self.demanded(inst, set);
        match data.inst {
            Inst::Call { .. } => self.call(inst, set, summaries),
            Inst::Unsupported { .. } => self.end_lives(inst, set),
            Inst::LifetimeEnd { object } => self.end_variable(object, set),
            Inst::StackRestore { .. } => self.end_all(set),
            Inst::Assume { cond } => {
                let cond = self.number(cond);
                set.add(self.universe.intern(Fact::Holds(cond, true)));
                self.implied(cond, true, data.block, set);
            }
            _ => {
                for (pointer, extent) in touched(self.program, inst) {
                    self.accessed(pointer, extent, set);
                }
                self.memory(inst, set);
            }
        }
    }

    /// What a load gives, and what a store leaves behind.
    fn memory(&mut self, inst: InstId, set: &mut Set) {
        let data = self.program.insts[inst];
        match data.inst {
            Inst::Load { ptr, .. } => {
                let Some(result) = data.result.expand() else { return };
                let Some(&known) = self.loaded.get(&inst) else { return };
                let size = self.program.types.store_size(self.program.values[result].ty);
                let (root, offset) = {
                    let number = self.number(ptr);
                    self.numbers.place(number)
                };
                let end = i64::try_from(size).ok().and_then(|size| offset.checked_add(size));
                let is_filled = known.kept
                    && end.is_some_and(|end| self.universe.are_filled(root, (offset, end), set));
                let known = Known { set: known.set || is_filled, ..known };
                self.learn(Operand::Value(result), known, set);
                if let Some(live) = self.whole.and_then(|whole| whole.stream(self.program, ptr)) {
                    let known = Known { object: true, sane: true, set: true, ..Known::NOTHING };
                    let known = Known { live, bytes: (0, 1), ..known };
                    self.learn(Operand::Value(result), known, set);
                }
            }
            Inst::Store { ptr, value, .. } => {
                let stored = self.number(value);
                if self.is_set(stored, set, DEEPEST) {
                    let size = self.program.types.store_size(self.program.operand_type(value));
                    let pointer = self.number(ptr);
                    self.filled(pointer, i64::try_from(size).unwrap_or(0), set);
                }
            }
            Inst::MemSet { dst, byte, len, .. } => {
                let stored = self.number(byte);
                if let (true, Some(len)) = (self.is_set(stored, set, DEEPEST), self.amount(len)) {
                    let pointer = self.number(dst);
                    self.filled(pointer, len, set);
                }
            }
            _ => {}
        }
    }

    fn amount(&self, operand: Operand) -> Option<i64> {
        match self.program.consts.get(operand.constant()?) {
            Const::Int(value) => i64::try_from(*value).ok(),
            _ => None,
        }
    }

    fn accessed(&mut self, pointer: Operand, extent: Extent, set: &mut Set) {
        let bytes = match extent {
            Extent::Bytes(bytes) => i64::try_from(bytes).unwrap_or(0),
            Extent::Times(count, unit) => {
                let count = count.constant().map(|count| self.program.consts.get(count));
                let Some(Const::Int(count)) = count else { return };
                let bytes = count.checked_mul(u128::from(unit));
                bytes.and_then(|bytes| i64::try_from(bytes).ok()).unwrap_or(0)
            }
            Extent::Open { least, .. } => i64::try_from(least).unwrap_or(0),
            Extent::Text { .. } | Extent::Hidden => return,
        };
        // An access of no bytes asks nothing.
        if bytes > 0 {
            let known = Known { object: true, sane: true, live: true, ..Known::NOTHING };
            let known = Known { bytes: (0, bytes), ..known };
            self.learn(pointer, known, set);
        }
    }

    fn call(&mut self, inst: InstId, set: &mut Set, summaries: &Summaries) {
        self.end_lives(inst, set);
        let Inst::Call { args, .. } = self.program.insts[inst].inst else { return };
        let args = self.program.operands(args);
        let result = self.program.insts[inst].result.expand().map(Operand::Value);
        if let Some(name) = external(self.program, inst) {
            let Some(result) = result else { return };
            if GRANTS.contains(&name) && !self.may_fail {
                let bytes = self.granted(name, args);
                let known = Known { bytes, text: false, set: false, ..Known::ALL };
                self.learn(result, known, set);
            } else if GRANTS.contains(&name) || ALLOCATES.contains(&name) {
                self.learn(result, Known { start: true, sane: true, ..Known::NOTHING }, set);
            }
            if name == "calloc" {
                let pointer = self.number(result);
                self.filled(pointer, i64::MAX, set);
            }
            return;
        }
        let Some(bodies) = self.callees(inst) else { return };
        let summary = |func: &FuncId| summaries.get(func);
        let met = |each: &dyn Fn(&Summary) -> Known| {
            let all = bodies.iter().filter_map(summary).map(each);
            all.fold(Known::ALL, Known::meet)
        };
        for (index, &arg) in args.iter().enumerate() {
            let known = met(&|s| s.exit.get(index).copied().unwrap_or(Known::NOTHING));
            self.learn(arg, Known { set: false, ..known }, set);
        }
        if let Some(result) = result {
            self.learn(result, met(&|summary| summary.result), set);
        }
    }

    fn granted(&self, name: &str, args: &[Operand]) -> (i64, i64) {
        let number = |index: usize| self.amount(*args.get(index)?);
        let size = match name {
            "calloc" => number(0).zip(number(1)).and_then(|(a, b)| a.checked_mul(b)),
            "strdup" => Some(1),
            _ => number(0),
        };
        (0, size.unwrap_or(0))
    }

    /// Forgets the lives that an instruction may end.
    fn end_lives(&mut self, inst: InstId, set: &mut Set) {
        let Some(whole) = self.whole else { return self.end_all(set) };
        let freed = whole.freed(self.program, inst);
        if freed.is_nothing() {
            return;
        }
        self.end(set, |value| whole.may_be(value, &freed));
    }

    fn end_variable(&mut self, variable: Operand, set: &mut Set) {
        let site = variable.value().and_then(|value| match self.program.values[value].def {
            Def::Inst(site) => Some(site),
            Def::Param { .. } => None,
        });
        let (Some(whole), Some(site)) = (self.whole, site) else { return self.end_all(set) };
        self.end(set, |value| {
            whole.objects(value).any(|object| {
                let kind = whole.points_to.objects[object].kind;
                matches!(kind, ObjectKind::Alloca { site: at, .. } if at == site)
            })
        });
    }

    fn end_all(&self, set: &mut Set) {
        self.end(set, |_| true);
    }

    /// Forgets the lives of what pointers such as these may point to.
    fn end(&self, set: &mut Set, may_be: impl Fn(ValueId) -> bool) {
        set.retain(|id| match self.universe.fact(id) {
            Fact::Live(source) => !self.numbers.value(source).is_none_or(&may_be),
            Fact::Object(_)
            | Fact::Sane(_)
            | Fact::Text(_)
            | Fact::Filled(..)
            | Fact::Bytes(..)
            | Fact::Start(_)
            | Fact::Set(_)
            | Fact::Holds(..)
            | Fact::Passed(..) => true,
        });
    }
}
