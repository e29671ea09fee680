//! The text form of programs and the verifier: programs as text, and what is said about them.

mod damage;
mod dominators;
mod hostile;
mod round_trip;
mod scale;
mod violations_code;
mod violations_tables;

use cegas::ir::{self, Program};

/// Every kind of row, instruction, constant and type, as the printer writes it.
const EVERYTHING: &str = include_str!("everything.ir");

/// What the small programs of the tests have in common.
const PRELUDE: &str = r#"
program "test"
machine "x86_64" layout "e" pointer 64 little
type t0 = void size 0 store 0 align 0
type t1 = i1 size 1 store 1 align 1
type t2 = i8 size 1 store 1 align 1
type t3 = i32 size 4 store 4 align 4
type t4 = i64 size 8 store 8 align 8
type t5 = ptr size 8 store 8 align 8
type t6 = f64 size 8 store 8 align 8
type t7 = {i32 at 0, ptr at 8} size 16 store 16 align 8
type t8 = [2 x i32] size 8 store 8 align 4
type t9 = <4 x i32> size 16 store 16 align 16
type t10 = i200 size 32 store 25 align 8
type t11 = f32 size 4 store 4 align 4
type t12 = {i32 at 0, i1 at 4} size 8 store 8 align 4
"#;

fn parse(text: &str) -> Program {
    ir::parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// A program of the prelude's types and these rows.
fn program(rows: &str) -> Program {
    parse(&format!("{PRELUDE}{rows}"))
}

/// What the verifier says, one line each; empty if it is content.
fn violations(program: &Program) -> String {
    let found = ir::verify(program).err().unwrap_or_default();
    found.iter().map(|violation| format!("{violation}\n")).collect()
}

/// Checks that each program has exactly the violation beside it.
#[track_caller]
fn expect_violations(cases: &[(&str, &str)], program_of: impl Fn(&str) -> Program) {
    for (rows, expected) in cases {
        let found = violations(&program_of(rows));
        assert_eq!(found.trim_end(), *expected, "in\n{rows}");
    }
}
