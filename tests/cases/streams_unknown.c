// RULES: assertion,null-deref,out-of-bounds
// A stream that a function without a body gives is one; nobody knows which.
#include <assert.h>
#include <stdio.h>

FILE *my_open(void);
int __VERIFIER_nondet_int(void);

int main(void)
{
    FILE *f = __VERIFIER_nondet_int() ? fmemopen("a", 1, "r") : my_open();
    if (!f)
        return 0;
    fgetc(f); // UNKNOWN: null-deref // UNKNOWN: out-of-bounds
    assert(0); // UNKNOWN: assertion
    return 0;
}
