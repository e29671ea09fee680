//! The kinds of bug the tool knows. A rule marks obligations, it never decides them; options, help and
//! reports all read [`RULES`].

/// One kind of bug.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// The name used on the command line and in every report.
    pub id: &'static str,
    /// What is wrong when it is violated, in one line.
    pub summary: &'static str,
}

/// All rules, in the order in which help and reports list them.
pub const RULES: &[Rule] = &[
    Rule { id: "assertion", summary: "an assertion of the program does not hold" },
    Rule { id: "null-deref", summary: "a null pointer is dereferenced" },
    Rule { id: "out-of-bounds", summary: "memory is accessed outside its object" },
    Rule { id: "use-after-free", summary: "memory is used after its lifetime ended" },
    Rule { id: "double-free", summary: "memory is freed twice" },
    Rule { id: "invalid-free", summary: "something that was not allocated is freed" },
    Rule { id: "leak", summary: "allocated memory is lost without being freed" },
    Rule {
        id: "uninit-read",
        summary: "the program's behaviour depends on an uninitialised value",
    },
    Rule { id: "div-by-zero", summary: "an integer is divided by zero" },
    Rule { id: "signed-overflow", summary: "signed arithmetic overflows" },
    Rule { id: "bad-shift", summary: "a shift amount is negative or too large" },
    Rule { id: "unreachable", summary: "a point declared unreachable is reached" },
];

pub mod assertion;

use crate::ir::{InstId, Operand, Program};

/// Something that must hold whenever an instruction is about to be executed.
#[derive(Clone, Copy, Debug)]
pub struct Obligation {
    /// The id of its rule.
    pub rule: &'static str,
    pub at: InstId,
    pub demand: Demand,
}

/// What must hold.
#[derive(Clone, Copy, Debug)]
pub enum Demand {
    /// The instruction is never reached.
    NotReached,
    NonZero(Operand),
    Equal(Operand, Operand),
}

/// The obligations that the chosen rules see in the program.
pub fn mark(program: &Program, rules: &[&'static str]) -> Vec<Obligation> {
    if rules.contains(&assertion::ID) { assertion::mark(program) } else { Vec::new() }
}

/// Whether every chosen rule is one that is checked today; what is not checked is never called safe.
pub fn all_checked(rules: &[&'static str]) -> bool {
    rules.iter().all(|rule| *rule == assertion::ID)
}

/// What is wrong when the obligation is violated, in one line.
pub fn message(program: &Program, obligation: &Obligation) -> String {
    match obligation.demand {
        Demand::NotReached => match assertion::text(program, obligation.at) {
            Some(text) => format!("the assertion `{text}` can fail"),
            None => "an error location can be reached".to_owned(),
        },
        Demand::NonZero(_) => "the asserted condition can be false".to_owned(),
        Demand::Equal(..) => "values asserted to be equal can differ".to_owned(),
    }
}
