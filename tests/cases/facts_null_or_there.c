// RULES: null-deref
// A pointer that is null or to something is to something where it was compared with null; one that was made from a number or
// moved from null is not.
#include <stdlib.h>
int __VERIFIER_nondet_int(void);
struct node { int value; struct node *next; };

static int checked(struct node *node)
{
    if (node->next != 0)
        return node->next->value; // SAFE: null-deref
    return 0;
}

static int checked_as_a_number(struct node *node)
{
    int there = node->next != 0;
    if (there)
        return node->next->value; // SAFE: null-deref
    return node->next->value; // BUG: null-deref
}

static int changed(struct node *node, struct node *alias)
{
    if (!node->next)
        return 0;
    alias->next = 0;
    return node->next->value; // BUG: null-deref
}

static int far(int *moved)
{
    if (moved)
        return *moved; // BUG: null-deref
    return 0;
}

int main(void)
{
    struct node *first = malloc(sizeof *first), *second = malloc(sizeof *second);
    second->next = 0;
    second->value = 1;
    first->value = 2;
    first->next = __VERIFIER_nondet_int() ? second : 0;
    switch (__VERIFIER_nondet_int()) {
    case 0:
        return checked(first);
    case 1:
        return checked_as_a_number(first);
    case 2:
        return changed(first, first);
    default: {
        int *none = __VERIFIER_nondet_int() ? &first->value : 0;
        return far(none + 2);
    }
    }
}
