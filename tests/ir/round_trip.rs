//! What is printed is read back as the same program.

use crate::{EVERYTHING, parse, program, violations};
use cegas::ir::{self, FuncId, GlobalId, InstId, Linkage, Program, TextId};
use cranelift_entity::EntityRef;

#[test]
fn everything_is_well_formed() {
    assert_eq!(violations(&parse(EVERYTHING)), "");
}

#[test]
fn everything_prints_back_byte_for_byte() {
    assert_eq!(ir::print(&parse(EVERYTHING)), EVERYTHING);
}

#[test]
fn tables_are_read_back_with_their_ids() {
    let before = parse(EVERYTHING);
    let after = parse(&ir::print(&before));
    let types = |p: &Program| format!("{:#?}", p.types.iter().collect::<Vec<_>>());
    let consts = |p: &Program| format!("{:#?}", p.consts.iter().collect::<Vec<_>>());
    let texts = |p: &Program| -> Vec<String> {
        let ids = (0..).map(TextId::new).take_while(|&id| p.texts.is_valid(id));
        ids.map(|id| p.texts.get(id).to_owned()).collect()
    };
    let code = |p: &Program| {
        format!("{:#?}", (&p.funcs, &p.blocks, &p.insts, &p.values, &p.globals, &p.debug))
    };
    let rest = |p: &Program| {
        format!(
            "{:?}",
            (&p.name, &p.machine, &p.aliases, &p.constructors, &p.destructors, &p.notes)
        )
    };
    assert_eq!(types(&before), types(&after));
    assert_eq!(consts(&before), consts(&after));
    assert_eq!(texts(&before), texts(&after));
    assert_eq!(code(&before), code(&after));
    assert_eq!(rest(&before), rest(&after));
}

#[test]
fn values_and_constants_may_be_numbered_in_any_order() {
    let rows = "\
func f0 @f(v3: i32, v4: i32) -> i32 external {
b0:
    v1: i32 = add v3, v4
    v0: i32 = add v1, i32 9
    return v0
}
func f1 @g(v2: i32) -> i32 external
const c0 = i32 7
const c1 = i32 9
";
    let program = program(rows);
    assert_eq!(violations(&program), "");
    assert_eq!(program.consts.len(), 2);
    let text = ir::print(&program);
    assert_eq!(ir::print(&parse(&text)), text);
}

/// The verifier forbids one name for two things, but the text must not confuse them.
#[test]
fn things_of_one_name_stay_apart() {
    let mut p = program(
        "global g0 @x: i32 size 4 align 4 external
func f0 @f() -> i32 external
func f1 @main() -> void external {
b0:
    store ptr @x, i32 1, align 4
    v0: i32 = call @f()
    return
}
",
    );
    let twin = p.globals[GlobalId::new(0)].clone();
    p.globals.push(twin);
    p.funcs[FuncId::new(0)].name = "x".to_owned();
    let text = ir::print(&p);
    assert!(text.contains("store ptr @x#g0, i32 1"), "{text}");
    assert!(text.contains("call @x#f0()"), "{text}");
    assert_eq!(ir::print(&parse(&text)), text);
}

#[test]
fn odd_names_are_quoted() {
    for name in ["", "a b", "é", "\"", "\\", "\n", "\u{202e}", "a#f1", "@x", "\0", ";", "'"] {
        let mut p = program("global g0 @x: i32 size 4 align 4 external\nalias @y = ptr @x\n");
        p.globals[GlobalId::new(0)].name = name.to_owned();
        p.globals[GlobalId::new(0)].linkage = Linkage::Weak;
        let text = ir::print(&p);
        let again = parse(&text);
        assert_eq!(again.globals[GlobalId::new(0)].name, name);
        assert_eq!(ir::print(&again), text);
    }
}

#[test]
fn one_function_and_one_instruction() {
    let program = parse(EVERYTHING);
    insta::assert_snapshot!(ir::print_function(&program, FuncId::new(2)), @r"
    func f2 @last() -> i32 weak {
    b6:
        branch i1 true, b7, b8
    b7:
        unreachable
    b8:
        return i32 5
    }
    ");
    insta::assert_snapshot!(ir::print_function(&program, FuncId::new(9)), @"; there is no function f9");
    insta::assert_snapshot!(ir::print_inst(&program, InstId::new(0)), @"v8 %a.addr: i32 = add v2, i32 -7");
}

#[test]
fn numbers_that_do_not_fit_their_type_are_still_told_apart() {
    use cegas::ir::Const;
    let mut p = program("");
    let types: Vec<_> = p.types.iter().map(|(id, ..)| id).collect();
    for &ty in &types {
        for value in [0, 1, 1 << 31, u64::MAX.into(), u128::MAX] {
            p.consts.intern(ty, Const::Int(value));
            p.consts.intern(ty, Const::Float(value));
        }
    }
    let text = ir::print(&p);
    let again = parse(&text);
    assert!(p.consts.iter().eq(again.consts.iter()));
}
