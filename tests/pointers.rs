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

/// Two kinds of structs that meet behind one pointer: the sums of counts that lie where the other has pointers
/// are no pointers.
#[test]
fn counts_are_no_pointers() {
    holds(
        "struct reader { long used, left; char *at; int *owner; };
         struct writer { char *at; int *owner; long used, left; };
         int x, y;
         char in[64], out[64];
         static void advance(void *state, int writes, long n) {
           if (writes) {
             struct writer *w = state;
             w->left = w->used + n;
           } else {
             struct reader *r = state;
             r->left = r->used + n;
           }
         }
         int main(int argc, char **argv) {
           struct reader *r = malloc(sizeof *r);
           struct writer *w = malloc(sizeof *w);
           r->at = in; r->owner = &x; r->used = 0; r->left = 64;
           w->at = out; w->owner = &y; w->used = 0; w->left = 64;
           advance(r, 0, argc);
           advance(w, 1, argc);
           NOALIAS(r->owner, w->owner);
           NOALIAS(r->at, r->owner);
           NOALIAS(w->at, r);
           MUSTALIAS(r->at, in);
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
