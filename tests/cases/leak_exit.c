// RULES: leak
// OPTIONS: --engine=proofs --timeout=3
// The program ends in a loop, inside a call, when the list is already nobody's.
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);

struct node {
    struct node *next;
};

static void stop(int code)
{
    if (code)
        exit(code);
}

int main(void)
{
    struct node *list = NULL;
    while (__VERIFIER_nondet_int()) {
        struct node *node = malloc(sizeof *node); // UNKNOWN: leak
        node->next = list;
        list = node;
        if (__VERIFIER_nondet_int() == 3) {
            list = NULL;
            stop(__VERIFIER_nondet_int());
        }
    }
    while (list) {
        struct node *next = list->next;
        free(list);
        list = next;
    }
    return 0;
}
