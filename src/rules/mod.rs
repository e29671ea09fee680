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
