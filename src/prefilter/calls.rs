//! What a call leaves of what was known and what it adds: lives that it may end, what it allocates, what its callees found
//! out about what they were given.
//!
//! An allocation gives null or the start of something new and alive. A life ends only where the pointer analysis says
//! that the object may be freed, or where the scope of its variable ends.

use super::body::{Body, Summaries};
use super::facts::{Fact, Set};
use super::known::{Known, Summary};
use super::whole::external;
use crate::ir::{Const, Def, FuncId, Inst, InstId, Operand, ValueId};
use crate::pta::ObjectKind;

/// Allocations that succeed unless the user says otherwise.
const GRANTS: &[&str] = &["malloc", "calloc", "__builtin_malloc", "valloc", "strdup"];

/// Those and others return the start of something allocated, or null.
const ALLOCATES: &[&str] = &["realloc", "aligned_alloc", "memalign"];

impl Body<'_> {
    pub(super) fn call(&mut self, inst: InstId, set: &mut Set, summaries: &Summaries) {
        self.end_lives(inst, set);
        let Inst::Call { args, .. } = self.program.insts[inst].inst else { return };
        let args = self.program.operands(args);
        let result = self.program.insts[inst].result.expand().map(Operand::Value);
        if let Some(name) = external(self.program, inst) {
            let Some(result) = result else { return };
            let or_null = Known { start: true, or_null: true, live: true, ..Known::NOTHING };
            if GRANTS.contains(&name) && !self.may_fail {
                let known = Known { bytes: self.granted(name, args), set: false, ..Known::ALL };
                self.learn(result, known, set);
            } else if GRANTS.contains(&name) {
                self.learn(result, Known { bytes: self.granted(name, args), ..or_null }, set);
            } else if ALLOCATES.contains(&name) {
                self.learn(result, or_null, set);
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
        let number = |index: usize| {
            let constant = args.get(index)?.constant()?;
            match self.program.consts.get(constant) {
                Const::Int(value) => i64::try_from(*value).ok(),
                _ => None,
            }
        };
        let size = match name {
            "calloc" => number(0).zip(number(1)).and_then(|(a, b)| a.checked_mul(b)),
            "strdup" => Some(1),
            _ => number(0),
        };
        (0, size.unwrap_or(0))
    }

    /// Forgets the lives that an instruction may end.
    pub(super) fn end_lives(&mut self, inst: InstId, set: &mut Set) {
        let Some(whole) = self.whole else { return self.end_all(set) };
        let freed = whole.freed(self.program, inst);
        if freed.is_nothing() {
            return;
        }
        self.end(set, |value| whole.may_be(value, &freed));
    }

    pub(super) fn end_variable(&mut self, variable: Operand, set: &mut Set) {
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

    pub(super) fn end_all(&self, set: &mut Set) {
        self.end(set, |_| true);
    }

    /// Forgets the lives of what pointers such as these may point to.
    fn end(&self, set: &mut Set, may_be: impl Fn(ValueId) -> bool) {
        set.retain(|id| match self.universe.fact(id) {
            Fact::Live(source) => !self.numbers.value(source).is_none_or(&may_be),
            Fact::Object(_)
            | Fact::OrNull(_)
            | Fact::Bytes(..)
            | Fact::Start(_)
            | Fact::Set(_)
            | Fact::Holds(..) => true,
        });
    }
}
