//! Whether C says a branch's condition with a `!` in front: clang drops it and lets the ways change places. A trace
//! speaks of the condition as it is written.
//!
//! The names that clang gives to blocks tell which way is the true one in C. Where they do not, the branch is taken as
//! it stands; it goes the same ways either way.

/// Where control goes if the condition holds, by the names of clang's blocks, and where if it does not.
const TRUE: [&str; 8] = [
    "if.then",
    "cond.true",
    "land.lhs.true",
    "land.rhs",
    "while.body",
    "for.body",
    "do.body",
    "lor.end",
];
const FALSE: [&str; 9] = [
    "if.else",
    "if.end",
    "cond.false",
    "lor.lhs.false",
    "lor.rhs",
    "while.end",
    "for.end",
    "do.end",
    "land.end",
];

/// Whether a branch to these blocks, the first one if what the machine tests is true, has its ways exchanged.
pub(super) fn is_negated(then: &str, els: &str) -> bool {
    FALSE.contains(&kind(then)) && TRUE.contains(&kind(els))
}

/// LLVM numbers blocks whose names are there already.
fn kind(name: &str) -> &str {
    name.trim_end_matches(|c: char| c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::is_negated;

    #[test]
    fn names_tell_the_ways_apart() {
        assert!(!is_negated("if.then", "if.end7"));
        assert!(is_negated("if.end", "if.then"));
        assert!(is_negated("if.else12", "if.then3"));
        assert!(is_negated("lor.rhs", "lor.end"));
        assert!(!is_negated("land.lhs.true", "if.then"), "one of two conditions, as it stands");
        assert!(!is_negated("", ""));
    }
}
