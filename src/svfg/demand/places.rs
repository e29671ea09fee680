//! Memory in Table 1: GEP by bytes, LOAD and STORE through the targets a pointer has, with strong and weak updates.

use super::memory::Origin;
use super::value::{Instance, Target, Value};
use super::walk::{State, Stop, Walk};
use crate::ir::{GepTerm, List, Operand};
use crate::pta::ObjectKind;

impl Walk<'_> {
    /// One of two values.
    pub(super) fn either(&mut self, a: Value, b: Value) -> Option<Value> {
        if a == b {
            return Some(a);
        }
        let (mut a, b) = (a.targets()?, b.targets()?);
        a.extend(b);
        Some(Value::points(a))
    }

    pub(super) fn gep(
        &mut self,
        state: &State,
        base: Operand,
        offset: i64,
        terms: List<GepTerm>,
    ) -> Option<Value> {
        let targets = self.operand(state, base).targets()?;
        let mut sum = Some(offset);
        for term in self.program.term_pool.get(terms) {
            let bits = self.bits(self.program.operand_type(term.index));
            let index = match self.operand(state, term.index) {
                Value::Number(number) => {
                    let shift = 128 - bits.clamp(1, 128);
                    i64::try_from(((number << shift) as i128) >> shift).ok()
                }
                Value::Points(_) | Value::Symbol(_) => None,
            };
            let bytes = index.and_then(|index| index.checked_mul(i64::try_from(term.stride).ok()?));
            sum = sum.and_then(|sum| sum.checked_add(bytes?));
        }
        let moved = |target: Target| match (target, sum) {
            (Target::Null, Some(0)) => Some(Target::Null),
            (Target::Null, _) => None,
            (Target::At(instance, at), Some(sum)) => Some(
                at.checked_add(sum).map_or(Target::In(instance), |at| Target::At(instance, at)),
            ),
            (Target::At(instance, _) | Target::In(instance), _) => Some(Target::In(instance)),
        };
        let moved: Option<Vec<Target>> = targets.into_iter().map(moved).collect();
        moved.map(Value::points)
    }

    /// `LOAD`.
    pub(super) fn load(
        &mut self,
        state: &mut State,
        ptr: Operand,
        size: u64,
    ) -> Result<Option<Value>, Stop> {
        let pointer = self.operand(state, ptr);
        let Some(targets) = pointer.targets() else { return Ok(None) };
        let mut found: Option<Value> = None;
        for target in targets {
            let value = match target {
                Target::Null => continue,
                Target::At(instance, offset) => {
                    let place = (instance, offset);
                    state.memory.load(self.program, &mut self.symbols, place, size)
                }
                Target::In(_) => return Ok(None),
            };
            let value = self.symbols.resolved(&state.facts, &value);
            found = match found {
                None => Some(value),
                Some(other) => match self.either(other, value) {
                    Some(both) => Some(both),
                    None => return Ok(None),
                },
            };
        }
        // Through null alone, the execution ends.
        found.map(Some).ok_or(Stop::End)
    }

    /// `STORE` with `SU/WU`: one target is overwritten, several are each perhaps.
    pub(super) fn store(
        &mut self,
        state: &mut State,
        ptr: Operand,
        size: u64,
        value: Value,
    ) -> Result<(), Stop> {
        let pointer = self.operand(state, ptr);
        let Some(mut targets) = pointer.targets() else {
            self.spoil(state, ptr, &pointer);
            return Ok(());
        };
        targets.retain(|target| *target != Target::Null);
        match targets[..] {
            [] => return Err(Stop::End),
            [Target::At(instance, offset)] => state.memory.store((instance, offset), size, value),
            _ => {
                for target in targets {
                    match target {
                        Target::Null => {}
                        Target::In(instance) => state.memory.forget(instance),
                        Target::At(instance, offset) => {
                            let place = (instance, offset);
                            let (program, symbols) = (self.program, &mut self.symbols);
                            let old = state.memory.load(program, symbols, place, size);
                            let new = self.either(old, value.clone());
                            let new = new.unwrap_or_else(|| self.symbols.fresh());
                            state.memory.store(place, size, new);
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// What `pointer` points to holds something that is not known.
    pub(super) fn spoil(&mut self, state: &mut State, operand: Operand, pointer: &Value) {
        if let Some(targets) = pointer.targets() {
            for target in targets {
                match target {
                    Target::Null => {}
                    Target::At(instance, _) | Target::In(instance) => state.memory.forget(instance),
                }
            }
            return;
        }
        // All that Andersen's analysis says it may point to.
        let answer = self.answer;
        let kinds: Vec<ObjectKind> = answer
            .members(answer.set_of(operand))
            .map(|at| answer.objects[answer.locations[at].object].kind)
            .collect();
        let spoilt: Vec<Instance> = state
            .memory
            .instances()
            .filter(|(_, origin)| kinds.iter().any(|&kind| stands_for(kind, *origin)))
            .map(|(instance, _)| instance)
            .collect();
        spoilt.into_iter().for_each(|instance| state.memory.forget(instance));
    }
}

/// Whether the abstract object may be this instance.
fn stands_for(kind: ObjectKind, origin: Origin) -> bool {
    match (kind, origin) {
        (ObjectKind::Global(a), Origin::Global(b)) => a == b,
        (ObjectKind::Func(a), Origin::Func(b)) => a == b,
        (ObjectKind::Alloca { site, .. }, Origin::Local { site: other, .. }) => site == other,
        (ObjectKind::Heap { site, .. }, Origin::Heap { site: other, .. }) => site == other,
        // It may be anything that unknown code was given.
        (ObjectKind::Unknown, _) => true,
        (
            ObjectKind::Global(_)
            | ObjectKind::Func(_)
            | ObjectKind::Alloca { .. }
            | ObjectKind::Heap { .. }
            | ObjectKind::Literals
            | ObjectKind::Arguments
            | ObjectKind::ArgumentStrings
            | ObjectKind::Static(_)
            | ObjectKind::Varargs { .. },
            _,
        ) => false,
    }
}
