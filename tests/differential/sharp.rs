//! Short functions that each do one thing of which the prefilter knows something, right or slightly wrong:
//! parts of what is allocated are set or not, pointers are null, good or near null, allocations have different sizes, memory of
//! the library changes, indices are computed bit by bit, callers may give null.

use super::random::Random;
use std::fmt::Write;

/// `static int sharp_N(int i, int *a)`, and what it needs.
pub fn case(random: &mut Random, case: usize) -> String {
    match random.below(6) {
        0..=1 => born(random, case),
        2 => near_null(random, case),
        3 => sizes(random, case),
        4 => library(random, case),
        _ => numbers(random, case),
    }
}

/// What is allocated is set up, by halves, late, or in some cases only.
fn born(random: &mut Random, case: usize) -> String {
    let mut text = format!("struct t{case} {{ int n, m; struct t{case} *next; }};\n");
    let _ = writeln!(text, "static struct t{case} *shared_{case};");
    let _ = writeln!(text, "static void set_{case}(struct t{case} *p, int n) {{");
    let mut set = |text: &mut String, is_inner: bool| {
        let line = match random.below(if is_inner { 5 } else { 9 }) {
            0 => "p->n = n;",
            1 => "p->m = 1;",
            2 => "p->next = 0;",
            3 => "if (n > 2) p->m = 2;",
            4 => "if (n > 3) p->n = 1; else p->next = 0;",
            5 => "set(p, n);",
            6 => "if (n > 4) return p;",
            7 => "shared = p; if (shared->m > 3) n++;",
            _ => "p->n = 2; p->m = n; p->next = p;",
        };
        let line = line.replace("set(", &format!("set_{case}("));
        *text += &line.replace("shared", &format!("shared_{case}"));
        *text += "\n";
    };
    set(&mut text, true);
    set(&mut text, true);
    let _ = writeln!(text, "}}\nstatic struct t{case} *new_{case}(int n) {{");
    let _ = writeln!(text, "struct t{case} *p = malloc(sizeof *p);");
    for _ in 0..3 {
        set(&mut text, false);
    }
    let _ = writeln!(text, "return p;\n}}\nstatic int sharp_{case}(int i, int *a) {{");
    let _ = writeln!(text, "struct t{case} *p = new_{case}(i);");
    text += "if (p->n > 1)\ni++;\nif (p->m > 1)\ni++;\nif (p->next)\ni++;\nreturn i;\n}\n";
    text
}

/// A pointer that is null, good, or a member of what is not there; and one that callers may leave out.
fn near_null(random: &mut Random, case: usize) -> String {
    let far = ["n", "m", "far"][random.below(3)];
    let taken = ["q", "(int *)&q->next", "&q->m"][random.below(3)];
    let guard = ["if (f)", "if (q)", "if (a)", "if (i)"][random.below(4)];
    format!(
        "struct t{case} {{ int n, m; struct t{case} *next; int pad[2000], far; }};\n\
         static int sharp_{case}(int i, int *a) {{\n\
         struct t{case} *q = i > 3 ? calloc(1, sizeof *q) : 0;\nint *f = (int *){taken};\n\
         {guard}\n*f = 1;\nif (a && i > 6)\n*a = 2;\n{guard}\n*a = 3;\n\
         {guard}\nq->{far} = 1;\nreturn i;\n}}\n"
    )
}

/// Allocations of different sizes, of which one is accessed.
fn sizes(random: &mut Random, case: usize) -> String {
    let size = |random: &mut Random| 1 + random.below(4);
    let (first, second) = (size(random), size(random));
    let (index, back) = (random.below(4), random.below(3));
    let kept = ["b", "b + 1", "box.at"][random.below(3)];
    format!(
        "static int sharp_{case}(int i, int *a) {{\n\
         int *b = i > 3 ? grab({first}, 4) : grab({second}, sizeof(int));\n\
         struct {{ int *at; }} box = {{b}}, *p = &box;\nif (i > 5) p->at = {kept};\n\
         p->at[{index}] = 1;\nb[{index}] = 2;\np->at[-{back}] = 3;\nreturn i;\n}}\n"
    )
}

/// What a function of the library points to is another thing after it is called again.
fn library(random: &mut Random, case: usize) -> String {
    let between = [
        "i++;",
        "localtime(&times[1]);",
        "if (i > 3) localtime(&times[1]);",
        "for (int k = 0; k < i; k++) if (k == 2) localtime(&times[1]);",
    ][random.below(4)];
    format!(
        "static int sharp_{case}(int i, int *a) {{\nint few[3] = {{1, 2, 3}};\n\
         struct tm *t = localtime(&times[0]);\n\
         if (t->tm_min >= 0 && t->tm_min < 3) {{\ni = few[t->tm_min] + i;\n{between}\n\
         i = few[t->tm_min];\n}}\nreturn i;\n}}\n"
    )
}

/// An index from bits and shifts.
fn numbers(random: &mut Random, case: usize) -> String {
    let size = 2 + random.below(8);
    let index = [
        "(input() & 3) | (input() & 4)",
        "(input() & 5) ^ (input() & 3)",
        "(input() & 7) >> 1",
        "(unsigned)(input() & 7) >> 1",
        "(input() & 3) << 1",
        "(input() & 7) / 2",
        "((input() & 7) - 4) / 2 + 2",
        "((input() & 7) - 4) >> 1",
    ][random.below(8)];
    format!(
        "static int sharp_{case}(int i, int *a) {{\nint few[{size}] = {{0}}, *p = few;\n\
         int k = {index};\ni = p[k];\nk = {index};\np[k] = i;\nk = {index};\nreturn p[k];\n}}\n"
    )
}
