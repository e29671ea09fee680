// RULES: leak
// OPTIONS: --engine=proofs --timeout=3
// Lost, and then a recursion that never comes back: nothing is proved of it.
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);

static int down(int n)
{
    return n == 0 ? 0 : down(n - 2);
}

int main(void)
{
    int n = __VERIFIER_nondet_int();
    char *p = malloc(8); // UNKNOWN: leak
    p[0] = 0;
    if (n & 1)
        p = NULL;
    n = down(n);
    if (p)
        free(p);
    return n;
}
