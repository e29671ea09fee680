// RULES: use-after-free,double-free
// Two lists that end in the same nodes, of which nobody can say how many there are.
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct item { struct item *next; int key; };

static struct item *before(struct item *next) {
    struct item *item = malloc(sizeof *item);
    item->key = 1;
    item->next = next;
    return item;
}

static void drop(struct item *list) {
    while (list) {
        struct item *next = list->next; // BUG: use-after-free
        free(list);
        list = next;
    }
}

int main(void) {
    struct item *shared = 0;
    while (__VERIFIER_nondet_int())
        shared = before(shared);
    struct item *one = before(shared), *other = before(shared);
    drop(one);
    drop(other);
    return 0;
}
