//! What the pointer analysis must tell apart: C programs with alias annotations, all of which it must judge right.

mod tool;

use tool::Place;

const ANNOTATIONS: &str = "\
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
