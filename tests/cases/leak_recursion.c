// RULES: leak
// OPTIONS: --timeout=3
// Lost, and then a recursion that never comes back, whether it counts or not.
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);

static int down(int n)
{
    return n == 0 ? 0 : down(n + (n < 0 ? -1 : 1));
}

static void again(void)
{
    again();
}

int main(void)
{
    int n = __VERIFIER_nondet_int();
    char *p = malloc(8); // BUG: leak
    p[0] = 0;
    p = NULL;
    if (n == 5)
        again();
    return down(n == 7 ? 1 : 0) + (p != NULL);
}
