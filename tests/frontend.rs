//! The model of small C programs, one file per theme in tests/frontend: what a person expects to see in
//! it, and that it verifies and reads back as it was printed.

mod tool;

use cegas::ir::{self, Program};
use cranelift_entity::EntityRef;
use tool::Place;

/// The model of a file in tests/frontend, checked in every way that does not depend on what it holds.
fn model(name: &str, flags: &[&str]) -> Program {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/frontend/");
    let text = std::fs::read_to_string(format!("{folder}{name}")).expect("the case is there");
    let place = Place::new();
    place.write(name, &text);
    let flags = flags.iter().map(|flag| format!("--cflags={flag}"));
    let arguments: Vec<String> =
        ["--dump=ir".to_owned(), name.to_owned()].into_iter().chain(flags).collect();
    let dump = place.scan(&arguments);
    assert_eq!((dump.code, dump.err.as_str()), (Some(0), ""), "{dump:?}");
    let program = ir::parse(&dump.out).unwrap_or_else(|error| panic!("{name}: {error}"));
    assert!(ir::print(&program) == dump.out, "{name} does not print back as it was");
    if let Err(violations) = ir::verify(&program) {
        panic!(
            "{name}: {}",
            violations.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
        );
    }
    program
}

/// What a reader wants to see: globals, aliases and code, without ids of places and the checks' own data.
fn shown(program: &Program) -> String {
    let whole = ir::print(program);
    let wanted = ["global ", "alias ", "constructor", "destructor", "note "];
    let own = ["@.src", "@.unnamed", "@anon"];
    let mut text = String::new();
    for line in whole.lines().filter(|line| wanted.iter().any(|word| line.starts_with(word))) {
        if !own.iter().any(|name| line.contains(name)) {
            text += &format!("{line}\n");
        }
    }
    for func in (0..program.funcs.len()).map(ir::FuncId::new) {
        text += "\n";
        text += &ir::print_function(program, func);
    }
    let without_ids = |line: &str| match line.split_once(" !l") {
        Some((code, place)) => {
            format!("{code}{}", place.trim_start_matches(|c: char| c.is_ascii_digit()))
        }
        None => line.to_owned(),
    };
    text.lines().map(without_ids).collect::<Vec<_>>().join("\n")
}

fn golden(name: &str, variant: &str, flags: &[&str]) -> String {
    let text = shown(&model(name, flags));
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("frontend");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| {
        insta::assert_snapshot!(format!("{}{variant}", name.trim_end_matches(".c")), &text)
    });
    text
}

#[track_caller]
fn has(text: &str, words: &[&str]) {
    for word in words {
        assert!(text.contains(word), "{word:?} is not in:\n{text}");
    }
}

#[test]
fn integers_of_every_width() {
    let text = golden("integers.c", "", &["-std=c23"]);
    has(&text, &["i1", "i5", "i8", "i16", "i32", "i64", "i128", "i200", "mul", "shl", "lshr"]);
}

#[test]
fn structs_unions_bit_fields_and_arrays() {
    let text = golden("aggregates.c", "", &[]);
    has(&text, &["bf.load", "memcpy v22", "@corner", "ptr @grid + 44"]);
}

#[test]
fn variable_arguments_on_two_machines() {
    let wide = golden("varargs.c", "", &[]);
    let narrow = golden("varargs.c", "-m32", &["-m32"]);
    has(&wide, &["vastart", "vacopy", "vaend"]);
    has(&narrow, &["vastart"]);
    assert_ne!(wide, narrow);
}

#[test]
fn control_goes_where_c_says() {
    let text = golden("control.c", "", &[]);
    has(
        &text,
        &[
            "switch",
            "goto v",
            "call v51(v5)",
            "lifetime.start",
            "returns_twice",
            "unsupported",
            "inline assembly `bswap",
        ],
    );
    assert!(!text.contains("LLVM"), "no word of LLVM's own\n{text}");
}

#[test]
fn symbols_as_a_linker_sees_them() {
    let text = golden("symbols.c", "", &[]);
    has(&text, &["thread_local", "alias ", "weak", "constructor", "destructor"]);
}

#[test]
fn memory_overflow_and_atomics() {
    let text = golden("memory.c", "", &[]);
    has(
        &text,
        &[
            "memcpy",
            "memmove",
            "memset",
            "overflow sadd",
            "overflow umul",
            "cmpxchg",
            "fence",
            "atomic",
        ],
    );
}

#[test]
fn floats_of_every_format() {
    let text = golden("floats.c", "", &[]);
    has(&text, &["f32", "f64", "x87", "fneg", "float_cast"]);
}

#[test]
fn undefined_behaviour_is_a_check() {
    let text = golden("checks.c", "", &[]);
    has(&text, &["signed_overflow", "div_by_zero", "shift", "bounds", "uninit"]);
}

#[test]
fn what_gcc_takes_is_taken() {
    golden("old.c", "", &[]);
}
