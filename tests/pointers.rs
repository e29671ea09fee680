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

/// What a library is given to keep comes back through its own ways only, and what it is given to look at not at all.
#[test]
fn libraries_keep_apart_what_they_are_given() {
    holds(
        "typedef struct ssl SSL; typedef struct bio BIO; typedef struct method METHOD;
         SSL *SSL_new(void *); int SSL_set_ex_data(SSL *, int, void *); void *SSL_get_ex_data(const SSL *, int);
         int SSL_write(SSL *, const void *, int); BIO *BIO_new_mem_buf(const void *, int);
         int SSL_CTX_set_default_passwd_cb(void *, int (*)(char *, int, int, void *));
         int SSL_CTX_set_default_passwd_cb_userdata(void *, void *);
         struct user { int *name; } user; int x, y; char text[8];
         static int ask(char *room, int size, int how, void *data) {
           MAYALIAS(data, &y);
           NOALIAS(data, &user);
           return 0;
         }
         int main(int argc, char **argv) {
           SSL *ssl = SSL_new(0);
           user.name = &x;
           SSL_CTX_set_default_passwd_cb(argv[0], ask);
           SSL_CTX_set_default_passwd_cb_userdata(argv[0], &y);
           SSL_set_ex_data(ssl, 0, &user);
           SSL_write(ssl, text, 8);
           struct user *back = SSL_get_ex_data(ssl, 0);
           MAYALIAS(back, &user);
           MAYALIAS(back->name, &x);
           NOALIAS(back, text);
           NOALIAS(back->name, &y);
           NOALIAS(ssl, &user);
           return 0;
         }",
    );
}

/// Code that nothing is known of may be a part of any library: it may ask for what that was given.
#[test]
fn unknown_code_asks_libraries() {
    holds(
        "typedef struct ssl SSL; SSL *SSL_new(void *); int SSL_set_ex_data(SSL *, int, void *);
         void *somebody_elses_getter(SSL *);
         int x;
         int main(void) {
           SSL *ssl = SSL_new(0);
           SSL_set_ex_data(ssl, 0, &x);
           MAYALIAS(somebody_elses_getter(ssl), &x);
           return 0;
         }",
    );
}

/// A stream's state is what its own allocator made, and moves along its own buffers.
#[test]
fn streams_of_zlib() {
    holds(
        "typedef struct { const unsigned char *in; unsigned have; unsigned long read; unsigned char *out; unsigned room;
           unsigned long written; const char *text; void *state; void *(*make)(void *, unsigned, unsigned);
           void (*drop)(void *, void *); void *own; } STREAM;
         int deflateInit_(STREAM *, int, const char *, int); int deflate(STREAM *, int);
         unsigned char in[16], out[16]; int mine; char pool[64];
         static void *make(void *own, unsigned count, unsigned size) {
           MAYALIAS(own, &mine);
           NOALIAS(own, in);
           return pool;
         }
         static void drop(void *own, void *what) {
           MAYALIAS(what, pool);
           NOALIAS(what, out);
         }
         int main(void) {
           STREAM s;
           s.in = in; s.out = out; s.make = make; s.drop = drop; s.own = &mine;
           deflateInit_(&s, 1, \"1\", sizeof s);
           deflate(&s, 4);
           MAYALIAS(s.in, in);
           NOALIAS(s.in, out);
           MAYALIAS(s.state, pool);
           return 0;
         }",
    );
}
