// The nodes of a list share an object, which a loop writes to.
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

int main(void) {
    int *p = made(1);
    struct node *all = list(p);
    while (__VERIFIER_nondet_uint())
        if (all)
            *all->shared = 1;
    for (struct node *n = all; n; n = n->next) {
        __VERIFIER_assert(n->shared == p); // SAFE: assertion
        __VERIFIER_assert(*n->shared == 1); // SAFE: assertion
    }
    return 0;
}
