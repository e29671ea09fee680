// RULES: leak
// OPTIONS: --timeout=3
// A temporary holds memory for as long as its expression takes.
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);

struct holder {
    int *p;
};

static struct holder make(void)
{
    struct holder h;
    h.p = malloc(4); // UNKNOWN: leak
    *h.p = 1;
    return h;
}

int main(void)
{
    int r = *make().p;
    while (1)
        r ^= __VERIFIER_nondet_int();
}
