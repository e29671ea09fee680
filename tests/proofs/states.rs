//! Proofs that rest on whole states: each kind is found, accepted by the checker as it is, and of no use for a program in
//! which a little is different, or after a little of it was changed.

use super::{Outcome, scan, source};
use std::fs;
use std::path::Path;

/// A program with a proof of its kind, and what makes it wrong.
struct Case {
    name: &'static str,
    rule: &'static str,
    right: &'static str,
    wrong: &'static str,
}

const fn case(name: &'static str, right: &'static str, wrong: &'static str) -> Case {
    Case { name, rule: "assertion", right, wrong }
}

const CASES: &[Case] = &[
    case("counted.c", "sum != 3 * n", "sum == 3 * 7"),
    case("elements.c", "all[i] = 7", "all[i] = 8"),
    case("list.c", "value = 3", "value = 4"),
    case("calls.c", "return m;", "return m & 255;"),
    case("poured.c", "calls--;", "calls &= 1;"),
    case("many.c", "most > 16", "most > 15"),
    Case { name: "kept.c", rule: "leak", right: "head = new;", wrong: "lost = new;" },
];

impl Case {
    fn text(&self) -> String {
        fs::read_to_string(source(self.name)).expect("a source")
    }

    /// What is found, and the witness.
    fn proved(&self, dir: &Path) -> (Outcome, String) {
        let (file, witness) = (dir.join(self.name), dir.join("w.yml"));
        fs::write(&file, self.text()).expect("a file");
        let option = witness.to_str().expect("a plain name");
        let options = ["--rules", self.rule, "--engine", "proofs", "--proofs", option];
        let found = scan(dir, &file, &options);
        (found, fs::read_to_string(witness).expect("a witness"))
    }

    /// What the checker says of a program by a witness.
    fn checked(&self, dir: &Path, text: &str, witness: &str) -> Outcome {
        let (file, path) = (dir.join(self.name), dir.join("w.yml"));
        fs::write(&file, text).expect("a file");
        fs::write(&path, witness).expect("a file");
        let option = path.to_str().expect("a plain name");
        scan(dir, &file, &["--rules", self.rule, "--timeout", "4", "--check-proofs", option])
    }
}

/// The same with a line put in behind the last expression, and one at the end of each state.
fn with_condition(witness: &str, what: &str) -> String {
    let is_term = |line: &str| line.starts_with("      t") && line.contains(" = ");
    let count = witness.lines().filter(|line| is_term(line)).count();
    let mut text = String::new();
    let mut is_inside = false;
    for line in witness.lines() {
        let begins = line == "      state";
        if is_inside && (begins || !line.starts_with("      ")) {
            text += &format!("      holds t{count}\n");
            is_inside = false;
        }
        is_inside |= begins;
        text += &format!("{line}\n");
        if is_term(line) && line.starts_with(&format!("      t{} =", count - 1)) {
            text += &format!("      t{count} = {what}\n");
        }
    }
    if is_inside {
        text += &format!("      holds t{count}\n");
    }
    text
}

#[test]
fn each_kind_is_found_and_accepted() {
    let dir = tempfile::tempdir().expect("a folder");
    for case in CASES {
        let (found, witness) = case.proved(dir.path());
        assert_eq!(found.verdict, "safe", "{}: {}", case.name, found.reasons);
        assert!(witness.contains("entry_type: state_set"), "{}", case.name);
        let accepted = case.checked(dir.path(), &case.text(), &witness);
        assert_eq!(accepted.verdict, "safe", "{}: {}", case.name, accepted.reasons);
    }
}

#[test]
fn what_is_wrong_is_not_accepted_by_a_proof_of_what_is_right() {
    let dir = tempfile::tempdir().expect("a folder");
    for case in CASES {
        let (_, witness) = case.proved(dir.path());
        assert!(case.text().contains(case.right), "{}", case.name);
        let wrong = case.text().replace(case.right, case.wrong);
        // As it is, with states that are none, and with demands that are judged later.
        let none = with_condition(&witness, "const 1 0");
        assert_eq!(none.contains("holds"), witness.contains("      state\n"), "{}", case.name);
        for witness in [&witness, &none, &witness.replace("turns 0", "turns 2")] {
            let checked = case.checked(dir.path(), &wrong, witness);
            assert_eq!(checked.verdict, "unknown", "{}\n{witness}", case.name);
        }
    }
}

#[test]
fn states_that_are_changed_prove_nothing() {
    let dir = tempfile::tempdir().expect("a folder");
    for case in CASES {
        let (_, witness) = case.proved(dir.path());
        let mut changed = vec![
            // It cannot be read.
            witness.replace(" = ", " == "),
            witness.replace("t0 = ", "t0 = add t0 "),
        ];
        if witness.contains("      state\n") {
            changed.push(with_condition(&witness, "const 1 0"));
        }
        if witness.contains("\n      after ") {
            changed.push(witness.replace("\n      after ", "\n      after t0 "));
        }
        for witness in changed {
            let checked = case.checked(dir.path(), &case.text(), &witness);
            assert_eq!(checked.verdict, "unknown", "{}\n{witness}", case.name);
        }
    }
}

#[test]
fn demands_may_be_judged_later() {
    let dir = tempfile::tempdir().expect("a folder");
    for case in CASES.iter().filter(|case| case.name == "elements.c") {
        let (_, witness) = case.proved(dir.path());
        for turns in 1..3 {
            let later = witness.replace("turns 0", &format!("turns {turns}"));
            let accepted = case.checked(dir.path(), &case.text(), &later);
            assert_eq!(accepted.verdict, "safe", "{}: {}", case.name, accepted.reasons);
        }
    }
}
