//! One damaged program for each invariant of the tables, and what the verifier says.

use crate::{expect_violations, program};

#[test]
fn ids_exist() {
    expect_violations(
        &[
            ("type t13 = [2 x t99] size 0 store 0 align 1", "type t13: t99 does not exist"),
            ("type t13 = {t99 at 0} size 0 store 0 align 1", "type t13: t99 does not exist"),
            ("const c0 = t99 zero", "const c0: t99 does not exist"),
            ("const c0 = t8 {c9, c9}", "const c0: c9 does not exist"),
            ("const c0 = ptr @x#g9", "const c0: g9 does not exist"),
            ("const c0 = ptr @x#f9", "const c0: f9 does not exist"),
            ("const c0 = ptr @x#f9:b0", "const c0: f9 does not exist"),
            ("func f0 @f() -> i32 external\nconst c0 = ptr @f:b0", "const c0: b0 does not exist"),
            ("const c0 = i64 ptrtoint c9", "const c0: c9 does not exist"),
            ("const c0 = i64 add c9, c9", "const c0: c9 does not exist"),
            ("const c0 = ptr offset c9, 4", "const c0: c9 does not exist"),
            ("global g0 @x: t99 size 4 align 4 external", "global g0 @x: t99 does not exist"),
            (
                "global g0 @x: i32 size 4 align 4 external !var9",
                "global g0 @x: var9 does not exist",
            ),
            (
                "global g0 @x: i32 size 4 align 4 external = b\"\" [0: c9]",
                "global g0 @x: c9 does not exist",
            ),
            ("func f0 @f() -> t99 external", "function f0 @f: t99 does not exist"),
            ("func f0 @f() -> i32 external !l9", "function f0 @f: l9 does not exist"),
            ("func f0 @f(v0: t99) -> i32 external", "value v0: t99 does not exist"),
            ("alias @a = c9", "alias @a: c9 does not exist"),
            ("constructor @f#f9", "the constructors and destructors: f9 does not exist"),
            ("destructor @f#f9", "the constructors and destructors: f9 does not exist"),
            ("loc l0 = file9:1:1", "location l0: file9 does not exist"),
            (
                "file file0 = \"a.c\" in \"/\"\nloc l0 = file0:1:1 inlined l9",
                "location l0: l9 does not exist",
            ),
            ("var var0 = local \"x\": ct9 at none:1", "variable var0 \"x\": ct9 does not exist"),
            (
                "var var0 = local \"x\": none at file9:1",
                "variable var0 \"x\": file9 does not exist",
            ),
            ("ctype ct0 = pointer ct9", "C type ct0: ct9 does not exist"),
            (
                "ctype ct0 = struct \"s\" 8 {\"m\": ct9 at 0 bits 8}",
                "C type ct0: ct9 does not exist",
            ),
            ("ctype ct0 = function none (ct9)", "C type ct0: ct9 does not exist"),
        ],
        program,
    );
}

#[test]
fn types_are_coherent() {
    expect_violations(
        &[
            (
                "type t13 = [2 x t13] size 0 store 0 align 1",
                "type t13 t13: is made of t13, which does not come before it",
            ),
            (
                "type t13 = {t14 at 0} size 0 store 0 align 1\ntype t14 = {t13 at 0} size 0 store 0 align 1",
                "type t13 t13: is made of t14, which does not come before it",
            ),
            (
                "type t13 = i16 size 1 store 2 align 1",
                "type t13 i16: a store writes 2 bytes, more than its size 1",
            ),
            (
                "type t13 = i16 size 2 store 2 align 3",
                "type t13 i16: the alignment 3 is no power of two",
            ),
            ("type t13 = i0 size 0 store 0 align 1", "type t13 i0: is an integer without bits"),
            (
                "type t13 = [3 x i32] size 16 store 16 align 4",
                "type t13 [3 x i32]: has size 16, but 3 elements of 4 bytes",
            ),
            (
                "type t13 = [18446744073709551615 x i32] size 4 store 4 align 4",
                "type t13 [18446744073709551615 x i32]: has size 4, but 18446744073709551615 elements of 4 bytes",
            ),
            (
                "type t13 = <2 x t7> size 32 store 32 align 8",
                "type t13 t13: is no vector of scalars",
            ),
            (
                "type t13 = <0 x i32> size 0 store 0 align 8",
                "type t13 <0 x i32>: is no vector of scalars",
            ),
            (
                "type t13 = {i32 at 0, i32 at 2} size 8 store 8 align 4",
                "type t13 t13: field 1 overlaps the one before",
            ),
            (
                "type t13 = {i32 at 18446744073709551615, i32 at 2} size 8 store 8 align 4",
                "type t13 t13: field 1 overlaps the one before",
            ),
            (
                "type t13 = {i32 at 6} size 8 store 8 align 4",
                "type t13 t13: the last field ends beyond its size 8",
            ),
        ],
        program,
    );
}

#[test]
fn constants_fit_their_types() {
    expect_violations(
        &[
            ("const c0 = i8 0x100", "const c0 of type i8: has bits above its width"),
            ("const c0 = i1 0x2", "const c0 of type i1: has bits above its width"),
            (
                "const c0 = ptr 0x0",
                "const c0 of type ptr: is an integer, but not of an integer type up to 128 bits",
            ),
            (
                "const c0 = i200 0x0",
                "const c0 of type i200: is an integer, but not of an integer type up to 128 bits",
            ),
            (
                "const c0 = i64 wide [0x1]",
                "const c0 of type i64: is a wide integer, but not of an integer type over 128 bits",
            ),
            ("const c0 = i200 wide [0x1]", "const c0 of type i200: has 1 limbs, not 4"),
            (
                "const c0 = i200 wide [0x1, 0x0, 0x0, 0x100]",
                "const c0 of type i200: has bits above its width",
            ),
            ("const c0 = f32 bits 0x100000000", "const c0 of type f32: has bits above its width"),
            (
                "const c0 = i32 bits 0x1",
                "const c0 of type i32: is a float, but not of a float type",
            ),
            ("const c0 = i32 null", "const c0 of type i32: is an address, but not of type ptr"),
            ("const c0 = i32 zero", "const c0 of type i32: is `zero`, which only aggregates are"),
            ("const c0 = void undef", "const c0 of type void: is a value of type void"),
            ("const c0 = void poison", "const c0 of type void: is a value of type void"),
            (
                "const c0 = i32 1\nconst c1 = t8 {c0}",
                "const c1 of type [2 x i32]: has 1 elements, its type 2",
            ),
            (
                "const c0 = i32 1\nconst c1 = t7 {c0}",
                "const c1 of type t7: has 1 elements, its type 2",
            ),
            (
                "const c0 = i32 1\nconst c1 = t7 {c0, c0}",
                "const c1 of type t7: element 1 is of type i32, not ptr",
            ),
            (
                "const c0 = i8 1\nconst c1 = t8 {c0, c0}",
                "const c1 of type [2 x i32]: element 0 is of type i8, not i32",
            ),
            (
                "const c0 = i8 1\nconst c1 = i32 {c0}",
                "const c1 of type i32: is an aggregate, but not of an aggregate type",
            ),
            (
                "const c0 = t8 {c0, c0}",
                "const c0 of type [2 x i32]: is made of c0, which does not come before it",
            ),
            (
                "func f0 @f() -> i32 external\nconst c0 = i64 @f",
                "const c0 of type i64: is an address, but not of type ptr",
            ),
            (
                "global g0 @x: i32 size 4 align 4 external\nconst c0 = i64 @x + 3",
                "const c0 of type i64: is an address, but not of type ptr",
            ),
            (
                "func f0 @f() -> void external {\nb0:\n return\n}
func f1 @g() -> void external {\nb1:\n return\n}
const c0 = ptr @f:b1",
                "const c0 of type ptr: b1 is no block of @f",
            ),
            (
                "const c0 = i32 1\nconst c1 = i8 zext c0",
                "const c1 of type i8: does not lead from i32 to i8",
            ),
            (
                "const c0 = i8 zext c0",
                "const c0 of type i8: is made of c0, which does not come before it",
            ),
            (
                "const c0 = i32 1\nconst c1 = i8 add c0, c0",
                "const c1 of type i8: its operands are not of its own type",
            ),
            (
                "const c0 = i32 1\nconst c1 = i32 fadd c0, c0",
                "const c1 of type i32: works on floats, not on i32",
            ),
            (
                "const c0 = i32 1\nconst c1 = ptr offset c0, 1",
                "const c1 of type ptr: its base is no pointer",
            ),
            (
                "const c0 = ptr null\nconst c1 = i32 offset c0, 1",
                "const c1 of type i32: is an address, but not of type ptr",
            ),
        ],
        program,
    );
}

#[test]
fn initialisers_fit_their_globals() {
    let global = |rest: &str| program(&format!("global g0 @x: t8 size 8 align {rest}"));
    expect_violations(
        &[
            ("4 external = b\"abcdefgh\" [0: i32 1, 4: i32 2]", ""),
            ("6 external", "global g0 @x: the alignment 6 is no power of two"),
            ("4 external = b\"abcdefghi\"", "global g0 @x: has 8 bytes, but 9 are initialised"),
            ("4 external = b\"a\\x00\"", "global g0 @x: its initialiser has trailing zeros"),
            (
                "4 external = b\"\" [4: i32 1, 0: i32 1]",
                "global g0 @x: the relocation at 0 does not follow the one before, which ends at 8",
            ),
            (
                "4 external = b\"\" [0: i32 1, 3: i32 1]",
                "global g0 @x: the relocation at 3 does not follow the one before, which ends at 4",
            ),
            (
                "4 external = b\"\" [5: i32 1]",
                "global g0 @x: the relocation at 5 goes beyond its 8 bytes",
            ),
            (
                "4 external = b\"\" [18446744073709551615: ptr null]",
                "global g0 @x: the relocation at 18446744073709551615 goes beyond its 8 bytes",
            ),
        ],
        global,
    );
}

#[test]
fn names_are_unique() {
    let x = "global g0 @x: i32 size 4 align 4 external\n";
    expect_violations(
        &[
            (
                "global g1 @x: i32 size 4 align 4 internal",
                "global g1 @x: another one has the same name",
            ),
            ("func f0 @x() -> i32 external", "function f0 @x: another one has the same name"),
            ("alias @x = ptr null", "alias @x: another one has the same name"),
            ("alias @y = i32 1", "alias @y: is an alias of something without address"),
        ],
        |rows| program(&format!("{x}{rows}")),
    );
}

#[test]
fn debug_tables_are_in_order() {
    expect_violations(
        &[
            (
                "file file0 = \"a.c\" in \"/\"\nloc l0 = file0:1:1 inlined l0",
                "location l0: is inlined at l0, which does not come before it",
            ),
            (
                "func f0 @f(v0: i32) -> void external
func f1 @g() -> void external {
b0:
    bind var0 = v0
    return
}
var var0 = local \"x\": none at none:0",
                "binding 0 at i0: v0 is a value of another function",
            ),
        ],
        program,
    );
}
