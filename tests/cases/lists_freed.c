// RULES: null-deref,use-after-free,double-free,invalid-free,out-of-bounds
// Lists of any length that are built, reversed and freed.
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct item { struct item *next; int key; };

static struct item *reversed(struct item *list) {
    struct item *done = 0;
    while (list) {
        struct item *next = list->next; // SAFE: use-after-free
        list->next = done;
        done = list;
        list = next;
    }
    return done;
}

int main(void) {
    struct item *list = 0;
    while (__VERIFIER_nondet_int()) {
        struct item *item = malloc(sizeof *item);
        item->key = 1;
        item->next = list;
        list = item;
    }
    list = reversed(list);
    struct item *first = list;
    while (list) {
        struct item *next = list->next; // SAFE: use-after-free
        free(list); // SAFE: double-free
        list = next;
    }
    if (first)
        return first->key; // BUG: use-after-free
    return 0;
}
