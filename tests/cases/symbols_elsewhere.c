// RULES: assertion,null-deref,out-of-bounds,div-by-zero
// What others define, or nobody: arrays of unknown size, weak references, divisions by the library.
#include <assert.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);
extern int table[];
__attribute__((weak)) extern int perhaps;
__attribute__((weak)) extern void hook(void);

int main(void)
{
    int n = __VERIFIER_nondet_int();
    if (n == 1)
        table[3] = 1; // UNKNOWN: null-deref // UNKNOWN: out-of-bounds
    if (n == 2)
        assert(&perhaps); // UNKNOWN: assertion
    if (n == 3)
        perhaps = 1; // UNKNOWN: null-deref // UNKNOWN: out-of-bounds
    if (n == 4 && hook)
        assert(0); // UNKNOWN: assertion
    if (n >= 0 && n < 5)
        return div(7, n).rem; // BUG: div-by-zero
    return 0;
}
