// RULES: leak
// OPTIONS: --engine=proofs --timeout=3
// What holds a block must hold it for sure: the nodes of a list that may be empty do not.
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);

struct node {
    struct node *next;
    char *text;
};

struct node *list;

int main(void)
{
    char *text = malloc(8); // UNKNOWN: leak
    text[0] = 0;
    while (__VERIFIER_nondet_int()) {
        struct node *node = malloc(sizeof *node); // UNKNOWN: leak
        node->next = list;
        node->text = text;
        list = node;
    }
    text = NULL;
    for (;;)
        if (list && __VERIFIER_nondet_int())
            list->text[0] ^= 1;
}
