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
pub mod bad_shift;
pub mod div_by_zero;
pub mod signed_overflow;
pub mod unreachable;

use crate::ir::{CheckKind, Inst, InstId, Operand, Program};

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

/// Finds the obligations of one rule.
type Mark = fn(&Program) -> Vec<Obligation>;

/// The rules that are checked today, with what marks their obligations.
const CHECKED: &[(&str, Mark)] = &[
    (assertion::ID, assertion::mark),
    (div_by_zero::ID, div_by_zero::mark),
    (signed_overflow::ID, signed_overflow::mark),
    (bad_shift::ID, bad_shift::mark),
    (unreachable::ID, unreachable::mark),
];

/// The obligations that the chosen rules see in the program, in the order of its instructions.
pub fn mark(program: &Program, rules: &[&'static str]) -> Vec<Obligation> {
    let chosen = CHECKED.iter().filter(|(id, _)| rules.contains(id));
    let mut found: Vec<Obligation> = chosen.flat_map(|(_, mark)| mark(program)).collect();
    found.sort_by_key(|obligation| obligation.at);
    found
}

/// Whether every chosen rule is one that is checked today; what is not checked is never called safe.
pub fn all_checked(rules: &[&'static str]) -> bool {
    rules.iter().all(|rule| CHECKED.iter().any(|(id, _)| id == rule))
}

/// The checks of a kind that the compiler put into the program.
fn checks(
    program: &Program,
    rule: &'static str,
    wanted: impl Fn(CheckKind) -> bool,
) -> Vec<Obligation> {
    let marked = program.insts.iter().filter_map(|(at, data)| match data.inst {
        Inst::Check { cond, kind } if wanted(kind) => {
            Some(Obligation { rule, at, demand: Demand::NonZero(cond) })
        }
        _ => None,
    });
    marked.collect()
}

/// What is wrong when the obligation is violated, in one line.
pub fn message(program: &Program, obligation: &Obligation) -> String {
    if obligation.rule != assertion::ID {
        let rule = RULES.iter().find(|rule| rule.id == obligation.rule);
        return rule.map_or("", |rule| rule.summary).to_owned();
    }
    match obligation.demand {
        Demand::NotReached => match assertion::text(program, obligation.at) {
            Some(text) => format!("the assertion `{text}` can fail"),
            None => "an error location can be reached".to_owned(),
        },
        Demand::NonZero(_) => "the asserted condition can be false".to_owned(),
        Demand::Equal(..) => "values asserted to be equal can differ".to_owned(),
    }
}
