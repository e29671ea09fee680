//! Checks that a program is well formed. Every later stage relies on it and indexes freely.
//!
//! The invariants, in the order of the stages that check them; a stage relies on those before it:
//!
//! 1. [`references`]: every id exists, every list lies in its pool, every range lies in its table.
//! 2. [`ranges`]: the bodies lie one after the other in the order of the functions and cover the block
//!    table; so do the instructions of the blocks; no block is empty. A block, an instruction, a
//!    parameter and a result each agree with what refers back to them; every value is a parameter or
//!    a result; `nonnull` marks only parameters.
//! 3. [`tables`]: types, constants and texts occur once; a type or constant is made of ones with a
//!    smaller id; layouts are coherent; constants fit their types; an initialiser fits its global, has
//!    no trailing zeros, and its relocations ascend without overlap. Names are unique among globals,
//!    functions and aliases. Bindings ascend, and bind values of the function they are in; a location
//!    is inlined at one with a smaller id.
//! 4. [`flow`]: a block ends in its only terminator, which stays in the function; phis come first and
//!    have exactly one operand for each predecessor; nothing leads to the entry; every block is
//!    reachable; every use is dominated by its definition, a phi's at the end of the predecessor.
//! 5. [`operands`]: operands and results have the types the instruction asks for; a result is there
//!    exactly where the instruction has one (a call or unsupported instruction may have one); switch
//!    cases are distinct integers.
//!
//! What a direct call may do that its callee does not expect ([`binds`]): pass more arguments than
//! there are parameters, whether or not the callee is variadic, and ignore the result. Both come from
//! old-style declarations and do no harm. Fewer arguments, or another type of an argument or of the
//! result, leave a parameter or the result without a meaning: the front end makes such a call an
//! indirect one, whose operand is the function's address, as LLVM's `getCalledFunction` does.

mod flow;
mod operands;
mod ranges;
mod references;
mod tables;
mod typing;

use super::ids::InstId;
use super::print::print_inst;
use super::program::Program;
use std::fmt;

pub use operands::binds;

/// Something a well-formed program has not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// Where, e.g. ``@main, block b2, instruction i7 `return v3` ``.
    pub place: String,
    /// What is wrong there.
    pub message: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.message)
    }
}

impl std::error::Error for Violation {}

/// A systematic mistake violates everything everywhere; nobody reads more than this many.
const MAX_VIOLATIONS: usize = 100;

/// Whether the program is well formed. The first stage that finds violations is the last to run.
pub fn verify(program: &Program) -> Result<(), Vec<Violation>> {
    let mut report = Report { program, violations: Vec::new() };
    for stage in [references::check, ranges::check, tables::check, flow::check, operands::check] {
        stage(&mut report);
        if !report.violations.is_empty() {
            return Err(report.violations);
        }
    }
    Ok(())
}

/// The violations found so far.
struct Report<'p> {
    program: &'p Program,
    violations: Vec<Violation>,
}

impl Report<'_> {
    /// Notes the violation, if there is one; `place` is only asked for then.
    fn check(&mut self, found: Result<(), String>, place: impl FnOnce(&Program) -> String) {
        if let Err(message) = found
            && self.violations.len() < MAX_VIOLATIONS
        {
            self.violations.push(Violation { place: place(self.program), message });
        }
    }

    fn check_inst(&mut self, found: Result<(), String>, inst: InstId) {
        self.check(found, |program| {
            let text = print_inst(program, inst);
            let around = program.insts.get(inst).map(|data| data.block).map(|block| {
                let func = program.blocks.get(block).map(|block| block.func);
                let func = func.and_then(|func| program.funcs.get(func));
                let name = func.map_or("?", |func| func.name.as_str());
                format!("@{name}, block {block}, ")
            });
            format!("{}instruction {inst} `{text}`", around.unwrap_or_default())
        });
    }
}

/// An error with the message, unless the condition holds.
fn ensure(holds: bool, message: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(message()) }
}
