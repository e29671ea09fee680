//! The functions without a body that an execution knows; any other ends it.

use super::{Runner, Step, Stop, beyond};
use crate::cegas::library::{is_nondet, returns};
use crate::ir::{FuncId, InstId, TypeId};

impl Runner<'_> {
    pub(super) fn native(
        &mut self,
        at: InstId,
        func: FuncId,
        args: &[u64],
        ty: Option<TypeId>,
    ) -> Step<u64> {
        let name = self.program.funcs[func].name.as_str();
        let arg = |index: usize| beyond(args.get(index).copied());
        Ok(match name {
            _ if is_nondet(name) => ty.map_or(Ok(0), |ty| self.input(ty))?,
            "__VERIFIER_assume" | "assume_abort_if_not" => match arg(0)? {
                0 => return Err(Stop::Beyond),
                _ => 0,
            },
            "__VERIFIER_assert" | "svf_assert" | "svf_assert_eq" => 0,
            "malloc" | "__builtin_malloc" | "valloc" => {
                let size = arg(0)?;
                beyond(self.memory.allocate(size, self.draw.unset))?
            }
            "calloc" => {
                let size = arg(0)?.checked_mul(arg(1)?);
                beyond(size.and_then(|size| self.memory.allocate(size, 0)))?
            }
            "free" => {
                if arg(0)? != 0 {
                    beyond(self.memory.free(arg(0)?))?;
                }
                0
            }
            "alloca" | "__builtin_alloca" => {
                let size = arg(0)?;
                beyond(self.memory.local(size, self.draw.unset))?
            }
            "memset" | "__memset_chk" => {
                let (dst, byte, len) = (arg(0)?, arg(1)?, arg(2)?);
                beyond(self.memory.slice(dst, len).ok())?.fill(byte as u8);
                dst
            }
            "memcpy" | "memmove" | "__memcpy_chk" | "__memmove_chk" => {
                self.copy(arg(0)?, arg(1)?, arg(2)?)?;
                arg(0)?
            }
            "strlen" => self.length(arg(0)?)?,
            "abs" | "labs" | "llabs" => {
                let bits = self.bits(beyond(ty)?)?;
                super::cut(super::compute::signed(arg(0)?, bits).wrapping_abs() as u64, bits)
            }
            _ if self.marks.asserts(at) => 0,
            _ => {
                let returns = beyond(returns(name))?;
                let Some(ty) = ty else { return Ok(0) };
                let value = self.input(ty)?;
                let number = super::compute::signed(value, self.bits(ty)?);
                beyond(returns.allows(number, args).then_some(value))?
            }
        })
    }

    fn length(&mut self, text: u64) -> Step<u64> {
        for length in 0.. {
            if beyond(self.memory.load(text + length, 1).ok())? == 0 {
                return Ok(length);
            }
        }
        Err(Stop::Beyond)
    }
}
