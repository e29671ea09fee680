// RULES: null-deref,unreachable
// Functions that never return, and one that does sometimes.
#include <stdlib.h>

int __VERIFIER_nondet_int(void);

static void leave(int code)
{
    if (code > 3)
        exit(code);
    abort();
}

static void stay(int code)
{
    if (code > 3)
        leave(code);
}

static int *find(int key)
{
    static int known = 7;
    return key > 5 ? &known : 0;
}

int main(void)
{
    int *first = find(__VERIFIER_nondet_int());
    if (!first)
        leave(__VERIFIER_nondet_int());
    int sum = *first; // SAFE: null-deref
    int *second = find(__VERIFIER_nondet_int());
    if (!second)
        stay(__VERIFIER_nondet_int());
    return sum + *second; // BUG: null-deref
}
