// RULES: null-deref
// The last node of a list is another one than those before: who stops at it needs no null.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
    struct node *next;
    int kind;
};

int main(void)
{
    int flag = __VERIFIER_nondet_int();
    struct node *head = malloc(sizeof *head), *p = head;
    while (__VERIFIER_nondet_int()) {
        if (flag)
            p->kind = 1;
        else
            p->kind = 2;
        struct node *n = malloc(sizeof *n);
        p->next = n;
        p = n;
    }
    p->kind = 3;
    p->next = NULL;
    p = head;
    if (flag)
        while (p->kind == 1) // SAFE: null-deref
            p = p->next;
    else if (__VERIFIER_nondet_int())
        while (p->kind == 2) // SAFE: null-deref
            p = p->next;
    else
        while (p->kind != 4) // BUG: null-deref
            p = p->next;
    return 0;
}
