// RULES: leak
// OPTIONS: --engine=proofs --timeout=3
// A node is taken out of a list, and nobody frees it.
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);

struct node {
    struct node *next;
};

int main(void)
{
    struct node *list = NULL;
    while (__VERIFIER_nondet_int()) {
        struct node *node = malloc(sizeof *node); // UNKNOWN: leak
        node->next = list;
        list = node;
    }
    if (list && list->next)
        list->next = list->next->next;
    while (list) {
        struct node *next = list->next;
        free(list);
        list = next;
    }
    return 0;
}
