//! Damage that no text can express: ids that do not refer back, lists outside their pool, ranges that
//! do not cover their table.

use crate::{EVERYTHING, parse, program, violations};
use cegas::ir::{
    BlockId, Const, Def, FuncId, IdRange, Inst, InstId, Operand, Pool, Program, TypeId, ValueId,
};
use cranelift_entity::EntityRef;
use serde_json::{Value as Json, json};

#[track_caller]
fn expect(damage: impl FnOnce(&mut Program), expected: &str) {
    let mut program = parse(EVERYTHING);
    damage(&mut program);
    let found = violations(&program);
    assert_eq!(found.lines().next(), Some(expected), "{found}");
    // A damaged program still prints: the messages are made of it.
    let _ = program.to_string();
}

/// Changes the program in its serialized form, as a damaged cache would.
#[track_caller]
fn expect_json(damage: impl FnOnce(&mut Json), expected: &str) {
    let small =
        program("func f0 @f(v0 %n: i32) -> i32 external {\nb0:\n fence\n return i32 7\n}\n");
    let mut json = serde_json::to_value(small).unwrap();
    damage(&mut json);
    expect(|program| *program = serde_json::from_value(json).unwrap(), expected);
}

#[test]
fn ranges_lie_in_their_tables() {
    expect(
        |p| p.funcs[FuncId::new(0)].params = IdRange::new(ValueId::new(0), ValueId::new(999)),
        "function f0 @callee: the range 0..999 does not lie in its table of 142",
    );
    expect_json(
        |json| json["blocks"]["elems"][0]["insts"] = json!({"start": 9, "end": 3}),
        "block b0: the range 9..3 does not lie in its table of 2",
    );
    expect_json(
        |json| json["funcs"]["elems"][0]["blocks"] = json!({"start": 4294967295u32, "end": 1}),
        "function f0 @f: the range 4294967295..1 does not lie in its table of 1",
    );
}

#[test]
fn ranges_follow_one_another_and_cover_the_table() {
    let block = BlockId::new;
    expect(
        |p| p.funcs[FuncId::new(2)].blocks = IdRange::new(block(7), block(9)),
        "function f2 @last: its blocks start at 7, but those of the function before end at 6",
    );
    expect(
        |p| p.funcs[FuncId::new(3)].blocks = IdRange::default(),
        "the program: the functions have 9 blocks, but there are 10 in the table",
    );
    expect(
        |p| p.blocks[block(2)].insts = IdRange::new(InstId::new(0), InstId::new(1)),
        "@everything, block b2: its instructions start at 0, but those of the block before end at 159",
    );
    expect(
        |p| {
            let last = p.insts[InstId::new(169)];
            p.insts.push(last);
        },
        "the program: the blocks have 170 instructions, but there are 171 in the table",
    );
}

#[test]
fn what_is_contained_refers_back() {
    expect(
        |p| p.blocks[BlockId::new(3)].func = FuncId::new(2),
        "function f1 @everything: b3 lies in f1, but says that it lies in f2",
    );
    expect(
        |p| p.insts[InstId::new(3)].block = BlockId::new(2),
        "@everything, block b0: i3 lies in b0, but says that it lies in b2",
    );
    expect(
        |p| p.values[ValueId::new(3)].def = Def::Param { func: FuncId::new(1), index: 5 },
        "function f1 @everything: parameter 1 is v3, which is defined as Param { func: f1, index: 5 }",
    );
    expect(
        |p| p.values[ValueId::new(9)].def = Def::Param { func: FuncId::new(1), index: 0 },
        "value v9: says that it is parameter 0 of @everything, which it is not",
    );
    expect(
        |p| p.values[ValueId::new(9)].def = Def::Inst(InstId::new(5)),
        "value v9: says that it is the result of i5, which it is not",
    );
    expect(
        // The jump at the end of the block.
        |p| p.insts[InstId::new(62)].result = Some(ValueId::new(8)).into(),
        "@everything, block b0, instruction i62 `v8 %a.addr: i32 = jump b1`: its result v8 is defined as Inst(i0)",
    );
    expect(
        |p| p.funcs[FuncId::new(0)].nonnull_params = 0b100,
        "function f0 @callee: `nonnull` marks 0b100, but there are 2 parameters",
    );
}

#[test]
fn lists_lie_in_their_pools() {
    let mut operands: Pool<Operand> = Pool::default();
    let outside = operands.push(vec![Operand::Value(ValueId::new(0)); 9999]);
    expect(
        |p| {
            let what = p.texts.intern("asm");
            p.insts[InstId::new(0)].inst = Inst::Unsupported { what, args: outside };
        },
        "@everything, block b0, instruction i0 `v8 %a.addr: i32 = unsupported \"asm\"()`: a list does not lie in its pool",
    );
    let mut blocks: Pool<BlockId> = Pool::default();
    let targets = blocks.push(vec![BlockId::new(2); 9999]);
    expect(
        |p| {
            let address = Operand::Value(ValueId::new(3));
            p.insts[InstId::new(62)].inst = Inst::IndirectJump { address, targets };
        },
        "@everything, block b0, instruction i62 `goto v3, []`: a list does not lie in its pool",
    );
}

#[test]
fn tables_hold_everything_once() {
    expect_json(
        |json| {
            let first = json["types"]["types"]["elems"][3].clone();
            json["types"]["types"]["elems"].as_array_mut().unwrap().push(first);
        },
        "type t13 i32: occurs twice in its table",
    );
    expect_json(
        |json| {
            let first = json["consts"]["consts"]["elems"][0].clone();
            json["consts"]["consts"]["elems"].as_array_mut().unwrap().push(first);
        },
        "const c1 of type i32: occurs twice in its table",
    );
    expect_json(
        |json| {
            let all = json["texts"]["all"].as_str().unwrap().to_owned();
            let first = json["texts"]["ends"]["elems"][0].as_u64().unwrap() as usize;
            let all = format!("{all}{}", &all[..first]);
            json["texts"]["ends"]["elems"].as_array_mut().unwrap().push(all.len().into());
            json["texts"]["all"] = all.into();
        },
        "text s1: occurs twice in its table",
    );
}

#[test]
fn bindings_ascend() {
    expect(
        |p| {
            let mut late = p.debug.bindings[0];
            late.at = InstId::new(20);
            p.debug.bindings.insert(0, late);
        },
        "the bindings: do not ascend by their instruction",
    );
}

#[test]
fn a_systematic_mistake_is_not_told_forever() {
    let mut p = parse(EVERYTHING);
    let ty = TypeId::new(3);
    for value in 0..500 {
        p.consts.intern(ty, Const::Int((1 << 40) + value));
    }
    assert_eq!(violations(&p).lines().count(), 100);
}
