// Lists of any length: what holds of every node.
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assert(int);
struct item { int key, count; struct item *next; };

static struct item *made(int key, struct item *next) {
    struct item *item = malloc(sizeof *item);
    item->key = key;
    item->count = 0;
    item->next = next;
    return item;
}

int main(void) {
    struct item *all = 0;
    while (__VERIFIER_nondet_int()) {
        int key = __VERIFIER_nondet_int();
        if (key < 0)
            continue;
        all = made(key, all);
    }
    for (struct item *at = all; at; at = at->next) {
        __VERIFIER_assert(at->count <= at->key); // SAFE: assertion
    }
    return 0;
}
