//! Demands, with concrete numbers.

use super::memory::Wrong;
use super::{Runner, Step, Stop};
use crate::cegas::marks::Marks;
use crate::cegas::replay::Target;
use crate::ir::InstId;
use crate::library::accesses::Extent;
use crate::rules::{Demand, Fault, FreeFault};

impl<'p> Runner<'p> {
    /// Whether a demand of `at` is not met.
    pub(super) fn judge(&mut self, at: InstId) -> Step<()> {
        let marks: &'p Marks = self.marks;
        for (number, mark) in marks.at(at).iter().enumerate() {
            let is_violated = match mark.demand {
                Demand::NotReached => true,
                Demand::NonZero(operand) => self.get(operand)? == 0,
                Demand::Equal(a, b) => self.get(a)? != self.get(b)?,
                Demand::Access { fault: Fault::Unset, .. } => false,
                Demand::Access { pointer, extent, fault } => {
                    let bytes = match extent {
                        Extent::Bytes(bytes) => bytes,
                        Extent::Times(count, unit) => self.get(count)?.saturating_mul(unit),
                        Extent::Open { least, .. } => least,
                        Extent::Text { .. } | Extent::Hidden => continue,
                    };
                    let wrong = match bytes {
                        0 => None,
                        _ => self.memory.slice(self.get(pointer)?, bytes).err(),
                    };
                    wrong
                        == Some(match fault {
                            Fault::Null => Wrong::Null,
                            Fault::Outside => Wrong::Outside,
                            Fault::Dead | Fault::Unset => Wrong::Dead,
                        })
                }
                Demand::Free { pointer, fault: FreeFault::Foreign | FreeFault::Twice } => {
                    let pointer = self.get(pointer)?;
                    pointer != 0 && self.memory.size(pointer).is_none()
                }
                Demand::Kept
                | Demand::Set(_)
                | Demand::Arguable(_)
                | Demand::Fits { .. }
                | Demand::Wraps { .. } => false,
            };
            if is_violated {
                let site = self.site(at);
                return Err(Stop::Violation(Target::At { at, number, site }));
            }
        }
        Ok(())
    }

    /// The instruction of the user's code that is being executed.
    fn site(&self, at: InstId) -> InstId {
        let models = self.frames.iter().rev().take_while(|frame| self.marks.is_model(frame.func));
        models.fold(at, |site, frame| frame.call.unwrap_or(site))
    }
}
