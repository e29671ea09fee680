// Nodes of a list are not all as large as the one that was made last.
// RULES: out-of-bounds
// OPTIONS: --engine proofs
#include <stdlib.h>
extern unsigned __VERIFIER_nondet_uint(void);
struct node { struct node *next; int value; };

int main(void) {
    struct node *all = 0;
    while (__VERIFIER_nondet_uint()) {
        unsigned long size = __VERIFIER_nondet_uint();
        if (size < sizeof *all || size > 1000)
            break;
        struct node *n = malloc(size);
        n->next = all; // UNKNOWN: out-of-bounds
        n->value = 1; // UNKNOWN: out-of-bounds
        if (all && size >= 100)
            ((char *)all)[99] = 1; // UNKNOWN: out-of-bounds
        all = n;
    }
    return 0;
}
