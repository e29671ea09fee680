// RULES: leak
// OPTIONS: --engine=proofs --timeout=5
// Nothing is lost however often loops turn: what a turn allocates it frees, and lists are freed node by node.
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);

struct node {
    struct node *next;
    int value;
};

static struct node *push(struct node *list, int value)
{
    struct node *node = malloc(sizeof *node); // SAFE: leak
    node->next = list;
    node->value = value;
    return node;
}

static void drop(struct node *list)
{
    while (list) {
        struct node *next = list->next;
        free(list);
        list = next;
    }
}

int main(void)
{
    int n = __VERIFIER_nondet_int(), sum = 0;
    int *before = malloc(4); // SAFE: leak
    *before = n;
    for (int i = 0; i < n; i++) {
        char *each = malloc(16); // SAFE: leak
        each[0] = 1;
        sum ^= each[0];
        free(each);
    }
    struct node *list = NULL;
    while (__VERIFIER_nondet_int())
        list = push(list, *before);
    free(before);
    drop(list);
    return sum & 1;
}
