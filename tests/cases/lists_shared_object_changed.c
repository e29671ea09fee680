// The nodes of a list share an object: which one it is, and what it holds, changes in a loop.
// OPTIONS: --engine proofs
#include <stdarg.h>
#include <stdlib.h>
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assert(int);
struct node { struct node *next; int *shared; };

static int *made(int value) {
    int *p = malloc(sizeof *p);
    *p = value;
    return p;
}

static struct node *list(int *shared) {
    struct node *all = 0;
    while (__VERIFIER_nondet_uint()) {
        struct node *n = malloc(sizeof *n);
        n->shared = shared;
        n->next = all;
        all = n;
    }
    return all;
}

static void another(void) {
    int *p = made(1);
    struct node *all = list(p);
    while (__VERIFIER_nondet_uint())
        p = made(1);
    for (struct node *n = all; n; n = n->next)
        __VERIFIER_assert(n->shared == p); // UNKNOWN: assertion
}

static void exchanged(void) {
    int *p = made(1), *q = made(1);
    struct node *all = list(p);
    while (__VERIFIER_nondet_uint()) {
        int *t = p;
        p = q;
        q = t;
    }
    for (struct node *n = all; n; n = n->next)
        __VERIFIER_assert(n->shared == p); // UNKNOWN: assertion
}

static void written(void) {
    struct node *all = list(made(1));
    while (__VERIFIER_nondet_uint())
        if (all)
            *all->shared = 2;
    if (all)
        __VERIFIER_assert(*all->shared == 1); // UNKNOWN: assertion
}

static int passed(int *p, ...) {
    while (__VERIFIER_nondet_uint())
        p = made(1);
    va_list rest;
    va_start(rest, p);
    int *q = va_arg(rest, int *);
    va_end(rest);
    return p == q;
}

int main(void) {
    switch (__VERIFIER_nondet_uint()) {
    case 0: another(); break;
    case 1: exchanged(); break;
    case 2: written(); break;
    default: {
        int *p = made(1);
        __VERIFIER_assert(passed(p, p)); // UNKNOWN: assertion
    }
    }
    return 0;
}
