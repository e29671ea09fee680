// RULES: null-deref,out-of-bounds,assertion
#include <assert.h>
#include <stdarg.h>
#include <stddef.h>

struct self { struct self *self; struct self **all; int n; };
struct big { int a[10]; char *p; };
struct small { int x; int *q; };
union either { long number; int *pointer; };
struct packed { char c; int *p; } __attribute__((packed));
struct flexible { int n; int data[]; };

int circle(struct self *s) {
    if (!s->self) return 0;
    if (!s->self->self) return 1;
    return s->self->self->n; // SAFE: null-deref
}

int by_value(struct big b, struct small s) {
    b.a[3] = s.x;
    assert(b.a[3] == s.x); // SAFE: assertion
    return b.a[3];
}

int number(union either *e) {
    assert(e->number != 4); // UNKNOWN: assertion
    return 0;
}

int tail(struct flexible *f) {
    return f->data[0]; // UNKNOWN: out-of-bounds
}

int unaligned(struct packed *p) {
    if (!p->p) return 0;
    return *p->p; // SAFE: null-deref
}

int variable(int n, ...) {
    va_list list;
    va_start(list, n);
    int first = va_arg(list, int); // UNKNOWN: null-deref // UNKNOWN: out-of-bounds
    va_end(list);
    assert(first == 0); // UNKNOWN: assertion
    return first;
}

int callback(int (*f)(void *), void *arg) {
    int r = f(arg); // UNKNOWN: null-deref
    assert(r == 0); // UNKNOWN: assertion
    return r;
}

static int known(void *p) { return p != NULL; }
int compared(int (*f)(void *)) {
    assert(f != known); // UNKNOWN: assertion
    return 0;
}

int many(int *a0, int *a1, int *a2, int *a3, int *a4, int *a5, int *a6, int *a7, int *a8, int *a9,
         int *b0, int *b1, int *b2, int *b3, int *b4, int *b5, int *b6, int *b7, int *b8, int *b9) {
    *a0 = 1; *b9 = 2; *a9 = 3; *b0 = 4;
    assert(*a0 + *b9 + *a9 + *b0 == 10); // SAFE: assertion
    return *a1 ^ *a2 ^ *a3 ^ *a4 ^ *a5 ^ *a6 ^ *a7 ^ *a8 ^ *b1 ^ *b2 ^ *b3 ^ *b4 ^ *b5 ^ *b6 ^ *b7 ^ *b8;
}

int nothing_known(void *p) {
    return *(int *)p; // UNKNOWN: out-of-bounds
}

int rows(int m[3][4], int **q) {
    if (!q || !*q) return m[0][3]; // SAFE: out-of-bounds
    return **q; // SAFE: null-deref
}
