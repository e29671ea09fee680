//! What the pointer analysis must tell apart: C programs with alias annotations, all of which it must judge right.

mod tool;

use tool::Place;

const ANNOTATIONS: &str = "\
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
void MUSTALIAS(void *, void *); void MAYALIAS(void *, void *); void NOALIAS(void *, void *);
";

/// Every annotation holds, as far as sets alone tell.
fn holds(program: &str) {
    let place = Place::new();
    place.write("a.c", &format!("{ANNOTATIONS}{program}"));
    let judged = place.scan(&["--dump=alias-checks", "a.c"]);
    assert!(judged.out.lines().count() > 0, "{judged:?}");
    assert_eq!((judged.code, judged.err.as_str()), (Some(0), ""), "{judged:?}");
}

/// What one caller of a library function passes does not come out at another.
#[test]
fn callers_of_library_functions_do_not_meet() {
    holds(
        "char one[] = \"1 a\", two[] = \"2 b\", room[8], hall[8];
         char *(*find)(const char *, int) = strchr;
         int main(int argc, char **argv) {
           char *a, *b;
           strtol(one, &a, 10);
           strtoul(two, &b, 10);
           strtol(two, &b, 10);
           NOALIAS(a, b);
           MAYALIAS(a, one);
           NOALIAS(strchr(one, 'a'), strchr(two, 'b'));
           NOALIAS(strcpy(room, one), strcpy(hall, two));
           MUSTALIAS(strcpy(room, two), room);
           MAYALIAS(find(one, argc), one);
           return 0;
         }",
    );
}

/// A string function copies no pointers, even between places that may hold some.
#[test]
fn strings_hold_no_pointers() {
    holds(
        "struct named { char name[16]; int *value; };
         int x, y;
         int main(int argc, char **argv) {
           struct named *a = malloc(sizeof *a), *b = malloc(sizeof *b);
           a->value = &x;
           b->value = &y;
           strcpy(argc > 1 ? (char *)a : b->name, argc > 2 ? (char *)b : a->name);
           NOALIAS(a->value, &y);
           NOALIAS(b->value, &x);
           MUSTALIAS(a->value, &x);
           return 0;
         }",
    );
}

/// Fields narrower than a word are told apart like others, however many a struct has.
#[test]
fn many_narrow_fields() {
    let fields: String = (0..40).map(|k| format!("short s{k}; ")).collect();
    let writes: String = (0..40).map(|k| format!("t->s{k} = (short)argc; ")).collect();
    holds(&format!(
        "struct tree {{ int *first; {fields} int *last; }};
         int x, y;
         int main(int argc, char **argv) {{
           struct tree *t = malloc(sizeof *t);
           t->first = &x;
           t->last = &y;
           {writes}
           NOALIAS(t->first, t->last);
           MUSTALIAS(t->first, &x);
           return t->s7;
         }}"
    ));
}

/// A stream of bytes that is gathered in a number carries no pointers, even if it is read where one may lie.
#[test]
fn gathered_bytes_are_no_pointers() {
    holds(
        "struct stream { unsigned char *next; unsigned long hold; int bits; };
         int x;
         int *kept = &x;
         char text[16];
         static void need(struct stream *s) {
           s->hold += (unsigned long)*s->next << s->bits;
           s->bits += 8;
         }
         int main(int argc, char **argv) {
           struct stream s = {(unsigned char *)(argc > 1 ? (void *)&kept : (void *)text), 0, 0};
           need(&s);
           NOALIAS((void *)s.hold, &x);
           MAYALIAS(s.next, text);
           return 0;
         }",
    );
}

/// A struct that is found again by an offset known at run time only is the whole struct, not any part of it.
#[test]
fn a_struct_lies_in_its_object_as_a_whole() {
    holds(
        "struct link { struct link *next; };
         struct item { int *value; long key; struct link link; };
         struct table { long where; struct link *first; };
         int x;
         int main(int argc, char **argv) {
           struct table *t = malloc(sizeof *t);
           t->where = offsetof(struct item, link);
           struct item *one = malloc(sizeof *one), *two = malloc(sizeof *two);
           one->value = two->value = &x;
           one->link.next = &two->link;
           two->link.next = &one->link;
           t->first = argc > 1 ? &one->link : &two->link;
           struct item *found = (struct item *)((char *)t->first - t->where);
           MUSTALIAS(found->value, &x);
           NOALIAS(found->value, found->link.next);
           NOALIAS(found->value, found);
           return 0;
         }",
    );
}

/// Text at the end of a record, and walks in it both ways, do not touch what stands before it.
#[test]
fn an_index_stays_in_an_array_that_is_a_member() {
    holds(
        "struct text { int *owner; int len; char s[1]; };
         struct named { int *first; char name[12]; int *held[3]; int *last; };
         int x, y, z;
         int main(int argc, char **argv) {
           struct text *a = malloc(sizeof *a + argc), *b = malloc(sizeof *b + argc);
           a->owner = &x;
           b->owner = &y;
           char *p = a->s;
           while (argc-- > 2) *p++ = *argv[1];
           while (*p == 'x') p--;
           memcpy(p, b->s, argc);
           NOALIAS(a->owner, &y);
           MUSTALIAS(b->owner, &y);
           MAYALIAS(p, a);
           struct text *back = (struct text *)(p - offsetof(struct text, s));
           MAYALIAS(back, a);
           struct named *n = malloc(sizeof *n);
           n->first = &x;
           n->last = &y;
           int **walk = n->held;
           for (int i = 0; i < argc; i++) *walk++ = &z;
           NOALIAS(n->first, &z);
           NOALIAS(n->last, &z);
           MAYALIAS(n->held[argc], &z);
           return 0;
         }",
    );
}

/// What sets without flow, calls or paths cannot tell, by the reason; the walk along paths can.
#[test]
fn what_only_the_demand_query_tells() {
    for (reason, body) in [
        ("a later assignment counts", "int *p = &x; int **at = &p; p = &y; NOALIAS(*at, &x);"),
        ("a field is overwritten", "s.one = &x; struct pair *at = &s; at->one = &y; NOALIAS(s.one, &x);"),
        ("callers meet in one function", "int *p = same(&x); int *q = same(&y); NOALIAS(p, q);"),
        ("callers meet in what is stored", "put(&g, &x); put(&h, &y); NOALIAS(g, h);"),
        (
            "two choices belong together",
            "int *u = 0, *v = 0, **at, *what; if (argc > 1) { at = &u; what = &x; } else { at = &v; what = &y; }
             *at = what; NOALIAS(u, &y);",
        ),
    ] {
        let place = Place::new();
        let program = format!(
            "{ANNOTATIONS}
             struct pair {{ int *one, *two; }} s;
             int x, y, *g, *h;
             static int *same(int *p) {{ return p; }}
             static void put(int **to, int *what) {{ *to = what; }}
             int main(int argc, char **argv) {{ {body} return 0; }}"
        );
        place.write("a.c", &program);
        let judged = place.scan(&["--dump=alias-checks", "a.c"]);
        let lines: Vec<&str> = judged.out.lines().collect();
        let [line] = lines[..] else { panic!("{reason}: {judged:?}") };
        assert!(line.starts_with("FAIL NOALIAS") && line.ends_with("apart"), "{reason}: {line}");
        assert_eq!(judged.code, Some(1), "{reason}: {judged:?}");
    }
}

/// Long loops that allocate are left, not followed for minutes.
#[test]
fn long_loops_are_left() {
    let place = Place::new();
    let program = "int main(void) {
       int **rows = malloc(5000 * sizeof *rows);
       for (int round = 0; round < 100000; round++)
         for (int i = 0; i < 5000; i++) { rows[i] = malloc(sizeof **rows); *rows[i] = i; }
       MAYALIAS(rows[3], rows[argc_()]);
       return 0;
     }";
    place.write("a.c", &format!("{ANNOTATIONS}int argc_(void);\n{program}"));
    let started = std::time::Instant::now();
    let judged = place.scan(&["--dump=alias-checks", "a.c"]);
    assert!(judged.out.starts_with("ok MAYALIAS") && judged.out.contains("open"), "{judged:?}");
    assert!(started.elapsed().as_secs() < 60, "{:?}", started.elapsed());
}

/// A pointer that is only followed holds no functions, and one that is kept does.
#[test]
fn functions_are_no_data() {
    holds(
        "struct both { int *data; int (*code)(void); };
         static int f(void) { return 1; }
         int x;
         int main(int argc, char **argv) {
           struct both b = { &x, f };
           void **any = (void **)&b;
           void *kept = any[argc % 2];
           MAYALIAS(kept, (void *)f);
           MAYALIAS(kept, &x);
           int (*call)(void) = (int (*)(void))any[1];
           MUSTALIAS((void *)call, (void *)f);
           return call();
         }",
    );
}
