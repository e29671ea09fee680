//! The kinds of bug the tool knows. A rule marks obligations, it never decides them; options, help and
//! reports all read [`RULES`].

pub mod assertion;
pub mod bad_shift;
pub mod div_by_zero;
pub mod double_free;
pub mod invalid_free;
pub mod leak;
pub mod memory;
pub mod null_deref;
pub mod out_of_bounds;
pub mod signed_overflow;
pub mod uninit_read;
pub mod unreachable;
pub mod use_after_free;

use crate::ir::{CheckKind, Inst, InstId, Operand, OverflowOp, Program};
pub use crate::library::accesses::Extent;

/// One kind of bug.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// The name used on the command line and in every report.
    pub id: &'static str,
    /// What is wrong when it is violated, in one line.
    pub summary: &'static str,
    /// What it means and when it is reported, in one paragraph.
    pub doc: &'static str,
    /// C code that violates it.
    pub bad: &'static str,
    /// The same, done right.
    pub good: &'static str,
    /// The numbers in the Common Weakness Enumeration, the closest first.
    pub cwe: &'static [u32],
    pub severity: Severity,
    /// Whether it is checked when nobody chose rules.
    pub default: bool,
    /// Finds its obligations.
    mark: fn(&Program) -> Vec<Obligation>,
}

/// How much a violation matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// It corrupts memory, leaks secrets or stops the program.
    High,
    /// It makes results wrong or wears resources out.
    Medium,
}

/// All rules, in the order in which help and reports list them.
pub const RULES: &[Rule] = &[
    assertion::RULE,
    null_deref::RULE,
    out_of_bounds::RULE,
    use_after_free::RULE,
    double_free::RULE,
    invalid_free::RULE,
    leak::RULE,
    uninit_read::RULE,
    div_by_zero::RULE,
    signed_overflow::RULE,
    bad_shift::RULE,
    unreachable::RULE,
];

/// The rule of a name.
pub fn rule(id: &str) -> Option<&'static Rule> {
    RULES.iter().find(|rule| rule.id == id)
}

/// Something that must hold whenever an instruction is about to be executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Obligation {
    /// The id of its rule.
    pub rule: &'static str,
    pub at: InstId,
    pub demand: Demand,
}

/// What must hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Demand {
    /// The instruction is never reached.
    NotReached,
    NonZero(Operand),
    Equal(Operand, Operand),
    /// An access to the bytes at a pointer does not have this fault.
    Access {
        pointer: Operand,
        extent: Extent,
        fault: Fault,
    },
    /// A pointer given to `free` does not have this fault.
    Free {
        pointer: Operand,
        fault: FreeFault,
    },
    /// What is allocated here is freed, or still reachable when the program ends.
    Kept,
    /// The value does not depend on anything that was never set.
    Set(Operand),
    /// As `NonZero`, but it may be zero for a reason that is another rule's matter.
    Arguable(Operand),
    /// The result of arithmetic fits so many bits, to which it is cut. C says what happens if it does not,
    /// so it is no error, but nobody who asks for overflows should hear that there is none.
    Fits {
        value: Operand,
        bits: u32,
    },
    /// The same, of arithmetic that is done in the narrow type itself.
    Wraps {
        op: OverflowOp,
        lhs: Operand,
        rhs: Operand,
    },
}

impl Demand {
    /// Whether the execution goes on, as C says, where the demand is not met.
    pub fn is_debatable(self) -> bool {
        matches!(self, Demand::Fits { .. } | Demand::Wraps { .. } | Demand::Arguable(_))
    }
}

/// What can be wrong with an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The pointer is null, or an offset from it.
    Null,
    /// It leaves its object, or there is none.
    Outside,
    /// The object's life is over.
    Dead,
    /// What it reads was never set.
    Unset,
}

/// What can be wrong with a pointer that is freed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FreeFault {
    /// It was freed before.
    Twice,
    /// It is not the start of something allocated.
    Foreign,
}

/// The obligations that the chosen rules see in the program, in the order of its instructions.
/// The functions of these names count as assertions, too.
pub fn mark(program: &Program, rules: &[&'static str], assertions: &[String]) -> Vec<Obligation> {
    let chosen = RULES.iter().filter(|rule| rules.contains(&rule.id));
    let mut found: Vec<Obligation> = chosen.flat_map(|rule| (rule.mark)(program)).collect();
    if rules.contains(&assertion::RULE.id) {
        found.extend(assertion::named(program, assertions));
    }
    found.sort_by_key(|obligation| obligation.at);
    found
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
    if obligation.rule != assertion::RULE.id {
        return rule(obligation.rule).map_or("", |rule| rule.summary).to_owned();
    }
    match obligation.demand {
        Demand::NonZero(_) => "the asserted condition can be false".to_owned(),
        Demand::Equal(..) => "values asserted to be equal can differ".to_owned(),
        _ => match assertion::text(program, obligation.at) {
            Some(text) => format!("the assertion `{text}` can fail"),
            None => "an error location can be reached".to_owned(),
        },
    }
}
