//! One damaged program for each invariant of the code, and what the verifier says.

use crate::{expect_violations, program, violations};
use cegas::ir::Program;

/// A function of these lines with some parameters to use, beside another function.
fn function(lines: &str) -> Program {
    program(&format!(
        "func f0 @other(v0: i32, v1: ptr) -> i32 external {{
b0:
    return v0
}}
func f1 @f(v2: i32, v3: ptr, v4: i1, v5: f64, v6: t7, v7: <4 x i32>, v8: i8, v9: [2 x i32]) -> i32 external {{
{lines}
}}
func f2 @void(...) -> void external
"
    ))
}

/// The block `b1` with this instruction before its end, and what is said about it.
#[track_caller]
fn expect_of_insts(cases: &[(&str, &str)]) {
    for (inst, expected) in cases {
        let p = function(&format!("b1:\n    {inst}\n    return i32 0"));
        let found = violations(&p);
        let expected = match *expected {
            "" => String::new(),
            expected => format!("@f, block b1, instruction i1 `{inst}`: {expected}\n"),
        };
        assert_eq!(found, expected, "in {inst}");
    }
}

#[test]
fn ids_exist() {
    expect_of_insts(&[
        ("v10: i32 = add v99, v2", "v99 does not exist"),
        ("v10: i32 = add v2, c99", "c99 does not exist"),
        ("v10: i32 = call @\"\"#f99(v2)", "f99 does not exist"),
        ("v10: ptr = alloca t99, i32 1, align 4", "t99 does not exist"),
        ("v10: i32 = phi [b99: v2]", "b99 does not exist"),
    ]);
    expect_violations(
        &[
            ("b1:\n jump b99", "@f, block b1, instruction i1 `jump b99`: b99 does not exist"),
            (
                "b1:\n switch v2, [c99 -> b1], b1",
                "@f, block b1, instruction i1 `switch v2, [c99 -> b1], b1`: c99 does not exist",
            ),
            (
                "b1:\n return v2 !l99",
                "@f, block b1, instruction i1 `return v2`: l99 does not exist",
            ),
            ("b1:\n bind var9 = v2\n return v2", "binding 0: var9 does not exist"),
            ("b1:\n v10: t99 = uninit\n return v2", "value v10: t99 does not exist"),
        ],
        function,
    );
}

#[test]
fn blocks_end_in_their_only_terminator() {
    expect_violations(
        &[
            ("b1:", "@f, block b1: is empty"),
            ("b1:\n fence", "@f, block b1, instruction i1 `fence`: does not end its block"),
            (
                "b1:\n return v2\n return v2",
                "@f, block b1, instruction i1 `return v2`: ends its block too early",
            ),
            (
                "b1:\n jump b0",
                "@f, block b1, instruction i1 `jump b0`: leads to b0, which lies in another function",
            ),
            (
                "b1:\n goto v3, [b0]",
                "@f, block b1, instruction i1 `goto v3, [b0]`: leads to b0, which lies in another function",
            ),
            ("b1:\n jump b2\nb2:\n jump b1", "@f, block b1: is the entry, but b2 leads to it"),
            ("b1:\n jump b1", "@f, block b1: is the entry, but b1 leads to it"),
            (
                "b1:\n return v2\nb2:\n jump b3\nb3:\n jump b2",
                "@f, block b2: is unreachable from the entry\n@f, block b3: is unreachable from the entry",
            ),
        ],
        function,
    );
}

#[test]
fn phis_have_one_operand_for_each_predecessor() {
    let diamond = |phi: &str| {
        function(&format!(
            "b1:
    v10: i32 = uninit
    branch v4, b2, b3
b2:
    v11: i32 = uninit
    switch v2, [i32 1 -> b4, i32 2 -> b4], b4
b3:
    jump b4
b4:
    {phi}
    return v2"
        ))
    };
    expect_violations(
        &[
            ("v12: i32 = phi [b2: v11, b3: v10]", ""),
            ("v12: i32 = phi [b3: v10, b2: v11]", ""),
            (
                "v12: i32 = phi [b2: v11]",
                "@f, block b4, instruction i6 `v12: i32 = phi [b2: v11]`: the predecessor b3 has no operand",
            ),
            (
                "v12: i32 = phi [b2: v11, b2: v11, b3: v10]",
                "@f, block b4, instruction i6 `v12: i32 = phi [b2: v11, b2: v11, b3: v10]`: the predecessor b2 occurs twice",
            ),
            (
                "v12: i32 = phi [b1: v10, b2: v11, b3: v10]",
                "@f, block b4, instruction i6 `v12: i32 = phi [b1: v10, b2: v11, b3: v10]`: b1 is no predecessor",
            ),
            (
                "v12: i32 = phi [b0: v10, b2: v11, b3: v10]",
                "@f, block b4, instruction i6 `v12: i32 = phi [b0: v10, b2: v11, b3: v10]`: b0 lies in another function",
            ),
            (
                "v12: i32 = phi [b2: v11, b3: v11]",
                "@f, block b4, instruction i6 `v12: i32 = phi [b2: v11, b3: v11]`: v11 is not defined on every path to the end of b3",
            ),
            (
                "v12: i32 = phi [b2: v11, b3: v12]",
                "@f, block b4, instruction i6 `v12: i32 = phi [b2: v11, b3: v12]`: v12 is not defined on every path to the end of b3",
            ),
            (
                "fence\n    v12: i32 = phi [b2: v11, b3: v10]",
                "@f, block b4, instruction i7 `v12: i32 = phi [b2: v11, b3: v10]`: is a phi after other instructions",
            ),
            (
                "v12: i64 = phi [b2: i64 1, b3: v10]",
                "@f, block b4, instruction i6 `v12: i64 = phi [b2: i64 1, b3: v10]`: an operand is of type i32, not i64",
            ),
        ],
        diamond,
    );
    expect_violations(
        &[
            (
                "b1:\n v10: i32 = phi []\n return v10",
                "@f, block b1, instruction i1 `v10: i32 = phi []`: is a phi without predecessors",
            ),
            // A loop's phi may read what the loop computes, itself included.
            (
                "b1:\n jump b2\nb2:\n v10: i32 = phi [b1: v2, b2: v11]\n v12: i32 = phi [b1: v2, b2: v12]\n v11: i32 = add v10, v12\n branch v4, b2, b3\nb3:\n return v11",
                "",
            ),
        ],
        function,
    );
}

#[test]
fn definitions_dominate_uses() {
    expect_violations(
        &[
            (
                "b1:\n v10: i32 = add v11, v2\n v11: i32 = uninit\n return v2",
                "@f, block b1, instruction i1 `v10: i32 = add v11, v2`: v11 is not defined on every path to here",
            ),
            (
                "b1:\n v10: i32 = add v10, v2\n return v2",
                "@f, block b1, instruction i1 `v10: i32 = add v10, v2`: v10 is not defined on every path to here",
            ),
            (
                "b1:\n branch v4, b2, b3\nb2:\n v10: i32 = uninit\n jump b3\nb3:\n return v10",
                "@f, block b3, instruction i4 `return v10`: v10 is not defined on every path to here",
            ),
            (
                "b1:\n return v0",
                "@f, block b1, instruction i1 `return v0`: v0 is not defined on every path to here",
            ),
            (
                "b1:\n v10: i32 = uninit\n jump b2\nb2:\n return v10\n}\nfunc f2 @g() -> i32 external {\nb3:\n return v10\n}\nfunc f3 @h() -> i32 external {\nb4:\n return i32 1",
                "@g, block b3, instruction i4 `return v10`: v10 is not defined on every path to here",
            ),
        ],
        |lines| {
            match lines.contains("func f2") {
            // The last function of the frame comes after those of the case.
            true => program(&format!(
                "func f0 @other(v0: i32, v1: ptr) -> i32 external {{\nb0:\n return v0\n}}
func f1 @f(v2: i32, v3: ptr, v4: i1, v5: f64, v6: t7, v7: <4 x i32>, v8: i8, v9: [2 x i32]) -> i32 external {{\n{lines}\n}}"
            )),
            false => function(lines),
        }
        },
    );
}

#[test]
fn operations_on_numbers_have_their_types() {
    expect_of_insts(&[
        ("v10: i32 = add v2, v2", ""),
        ("v10: <4 x i32> = add v7, v7", ""),
        ("v10: i32 = add v2, v8", "its operands differ: i32 and i8"),
        ("v10: i8 = add v2, v2", "gives i32, but its result is i8"),
        ("v10: f64 = add v5, v5", "works on integers, not on f64"),
        ("v10: i32 = fadd v2, v2", "works on floats, not on i32"),
        ("add v2, v2", "gives a result, but has none"),
        ("v10: i1 = overflow sadd v2, v2", ""),
        ("v10: i1 = overflow sadd v5, v5", "works on integers, not on f64"),
        ("v10: i32 = overflow sadd v2, v2", "gives i1, but its result is i32"),
        ("v10: i1 = icmp eq v3, ptr null", ""),
        ("v10: i1 = icmp eq v3, i64 0", "its operands differ: ptr and i64"),
        ("v10: i1 = icmp eq v5, v5", "works on integers or pointers, not on f64"),
        ("v10: i1 = icmp eq v7, v7", "gives i1, but its result is i1"),
        ("v10: i1 = fcmp oeq v2, v2", "works on floats, not on i32"),
        ("v10: i8 = trunc v2", ""),
        ("v10: i64 = trunc v2", "does not lead from i32 to i64"),
        ("v10: i8 = zext v2", "does not lead from i32 to i8"),
        ("v10: i32 = sext v2", "does not lead from i32 to i32"),
        ("v10: f32 = fpext v5", "does not lead from f64 to f32"),
        ("v10: f64 = fptrunc v5", "does not lead from f64 to f64"),
        ("v10: i32 = fptosi v2", "does not lead from i32 to i32"),
        ("v10: f64 = uitofp v3", "does not lead from ptr to f64"),
        ("v10: i64 = ptrtoint v2", "does not lead from i32 to i64"),
        ("v10: ptr = inttoptr v3", "does not lead from ptr to ptr"),
        ("v10: i64 = bitcast v5", ""),
        ("v10: i32 = bitcast v5", "does not lead from f64 to i32"),
        ("v10: i64 = bitcast v3", "does not lead from ptr to i64"),
        ("v10: i64 = bitcast v9", "does not lead from [2 x i32] to i64"),
        ("v10: i32 = zext v7", "does not lead from <4 x i32> to i32"),
        ("zext v2", "gives a result, but has none"),
        ("v10: i32 = pure smin v2", "takes 2 operands, not 1"),
        ("v10: i32 = pure smin v2, v8", "an operand is of type i8, not i32"),
        ("v10: i32 = pure fabs v2", "works on floats, not on i32"),
        ("v10: f64 = pure bswap v5", "works on integers, not on f64"),
        ("v10: i1 = pure fisclass v5", "takes 2 operands"),
        ("v10: i1 = pure fisclass v2, i32 1", "works on floats, not on i32"),
        ("v10: i1 = pure fisclass v5, v2", "its mask is no constant"),
        ("v10: ptr = pure ptrmask v2, v2", "an operand is of type i32, not ptr"),
        ("v10: i32 = select v4, v2, v2", ""),
        ("v10: <4 x i32> = select v4, v7, v7", ""),
        ("v10: i32 = select v2, v2, v2", "its condition is no truth value of that shape"),
        ("v10: i32 = select v4, v2, v8", "its operands differ: i32 and i8"),
        ("v10: i8 = freeze v2", "gives i32, but its result is i8"),
        ("uninit", "gives a result, but has none"),
    ]);
}

#[test]
fn operations_on_parts_have_their_types() {
    expect_of_insts(&[
        ("v10: ptr = extract v6, [1]", ""),
        ("v10: i32 = extract v9, [1]", ""),
        ("v10: i32 = extract v6, [1]", "gives ptr, but its result is i32"),
        ("v10: ptr = extract v6, [2]", "t7 has no part 2"),
        ("v10: ptr = extract v6, [1, 0]", "ptr has no part 0"),
        ("v10: i32 = extract v9, [2]", "[2 x i32] has no part 2"),
        ("v10: i32 = extract v7, [0]", "<4 x i32> has no part 0"),
        ("v10: t7 = extract v6, []", "its path is empty"),
        ("v10: t7 = insert v6, v2, [1]", "an operand is of type i32, not ptr"),
        ("v10: i32 = insert v6, v3, [1]", "gives t7, but its result is i32"),
        ("v10: i32 = extractelement v7, v5", "an operand is of type f64, not an integer"),
        ("v10: i32 = extractelement v9, v2", "works on vectors, not on [2 x i32]"),
        ("v10: i8 = extractelement v7, v2", "gives i32, but its result is i8"),
        ("v10: <4 x i32> = insertelement v7, v8, v2", "an operand is of type i8, not i32"),
        ("v10: <4 x i32> = shuffle v7, v7, [0, 7, undef, 1]", ""),
        (
            "v10: <4 x i32> = shuffle v7, v7, [0, 8, undef, 1]",
            "its mask names a lane that is not there",
        ),
        (
            "v10: <4 x i32> = shuffle v7, v7, [0]",
            "its result is not of the mask's length or the operands' type",
        ),
        ("v10: <4 x i32> = shuffle v9, v9, [0]", "works on vectors, not on [2 x i32]"),
    ]);
}

#[test]
fn operations_on_memory_have_their_types() {
    expect_of_insts(&[
        ("v10: ptr = alloca i32, v2, align 4", ""),
        ("v10: ptr = alloca i32, v2, align 3", "the alignment 3 is no power of two"),
        ("v10: ptr = alloca void, v2, align 4", "allocates elements of void"),
        ("v10: ptr = alloca i32, v5, align 4", "an operand is of type f64, not an integer"),
        ("v10: i64 = alloca i32, v2, align 4", "gives ptr, but its result is i64"),
        ("v10: i32 = load v2, align 4", "an operand is of type i32, not ptr"),
        ("load v3, align 4", "gives a result, but has none"),
        ("store v2, v2, align 4", "an operand is of type i32, not ptr"),
        ("v10: i32 = store v3, v2, align 4", "has a result, but gives none"),
        ("v10: ptr = gep v2, 0", "an operand is of type i32, not ptr"),
        ("v10: ptr = gep v3, 0, v5 * 4", "an operand is of type f64, not an integer"),
        ("memcpy v3, v2, i64 1", "an operand is of type i32, not ptr"),
        ("memmove v3, v3, v5", "an operand is of type f64, not an integer"),
        ("memset v3, v2, i64 1", "an operand is of type i32, not i8"),
        ("v10: i32 = rmw add v2, v2", "an operand is of type i32, not ptr"),
        ("v10: f64 = rmw add v3, v5", "does not work on f64"),
        ("v10: i32 = rmw fadd v3, v2", "does not work on i32"),
        ("v10: ptr = rmw xchg v3, v3", ""),
        ("v10: i8 = rmw add v3, v2", "gives i32, but its result is i8"),
        ("v10: t12 = cmpxchg v3, v2, v2", ""),
        ("v10: t7 = cmpxchg v3, v2, v2", "its result is no struct of the old value and an i1"),
        ("v10: i32 = cmpxchg v3, v2, v2", "its result is no struct of the old value and an i1"),
        ("v10: t12 = cmpxchg v3, v2, v8", "its operands differ: i32 and i8"),
        ("v10: t12 = cmpxchg v3, v5, v5", "exchanges integers or pointers, not f64"),
        ("v10: i32 = fence", "has a result, but gives none"),
        ("lifetime.start v2", "an operand is of type i32, not ptr"),
        ("lifetime.end v2", "an operand is of type i32, not ptr"),
        ("v10: i32 = stacksave", "gives ptr, but its result is i32"),
        ("stackrestore v2", "an operand is of type i32, not ptr"),
        ("vastart v2", "an operand is of type i32, not ptr"),
        ("vaend v2", "an operand is of type i32, not ptr"),
        ("vacopy v3, v2", "an operand is of type i32, not ptr"),
        ("vaarg v3", "gives a result, but has none"),
    ]);
}

#[test]
fn calls_and_checks_have_their_types() {
    expect_of_insts(&[
        ("v10: i32 = call @other(v2, v3)", ""),
        // Old-style declarations: too many arguments, an ignored result.
        ("v10: i32 = call @other(v2, v3, v5)", ""),
        ("call @other(v2, v3)", ""),
        ("call @void(v2, v3)", ""),
        ("v10: i32 = call @other(v2)", "passes 1 arguments, but @other has 2 parameters"),
        (
            "v10: i32 = call @other(v2, v2)",
            "argument 1 is of type i32, but that parameter of @other is of type ptr",
        ),
        ("v10: i8 = call @other(v2, v3)", "its result is not of the type i32 that @other returns"),
        ("v10: i32 = call @void()", "its result is not of the type void that @void returns"),
        // What does not bind is an indirect call of the function's address.
        ("v10: i8 = call ptr @other(v5)", ""),
        ("call v2()", "an operand is of type i32, not ptr"),
        ("check v2, trap", "an operand is of type i32, not i1"),
        ("v10: i1 = check v4, trap", "has a result, but gives none"),
        ("assume v2", "an operand is of type i32, not i1"),
        ("unsupported \"asm\"(v2)", ""),
    ]);
    expect_violations(
        &[
            ("b1:\n v10: void = call @void()\n return v2", "value v10: is of type void"),
            (
                "b1:\n branch v2, b2, b3\nb2:\n return v2\nb3:\n return v2",
                "@f, block b1, instruction i1 `branch v2, b2, b3`: an operand is of type i32, not i1",
            ),
            (
                "b1:\n switch v5, [], b2\nb2:\n return v2",
                "@f, block b1, instruction i1 `switch v5, [], b2`: an operand is of type f64, not an integer",
            ),
            (
                "b1:\n switch v2, [i8 1 -> b2], b2\nb2:\n return v2",
                "@f, block b1, instruction i1 `switch v2, [i8 1 -> b2], b2`: an operand is of type i8, not i32",
            ),
            (
                "b1:\n switch v2, [i32 undef -> b2], b2\nb2:\n return v2",
                "@f, block b1, instruction i1 `switch v2, [i32 undef -> b2], b2`: the case c0 is no plain integer",
            ),
            (
                "b1:\n switch v2, [i32 1 -> b2, i32 1 -> b2], b2\nb2:\n return v2",
                "@f, block b1, instruction i1 `switch v2, [i32 1 -> b2, i32 1 -> b2], b2`: the case c0 occurs twice",
            ),
            (
                "b1:\n goto v2, [b2]\nb2:\n return v2",
                "@f, block b1, instruction i1 `goto v2, [b2]`: an operand is of type i32, not ptr",
            ),
            ("b1:\n return", "@f, block b1, instruction i1 `return`: @f returns i32"),
            (
                "b1:\n return v8",
                "@f, block b1, instruction i1 `return v8`: an operand is of type i8, not i32",
            ),
            (
                "b1:\n v10: i32 = unreachable",
                "@f, block b1, instruction i1 `v10: i32 = unreachable`: has a result, but gives none",
            ),
        ],
        function,
    );
}
