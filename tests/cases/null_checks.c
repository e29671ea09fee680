#include <assert.h>
#include <stddef.h>

int __VERIFIER_nondet_int(void);

int main(void) {
    int x = 4;
    int *p = __VERIFIER_nondet_int() ? &x : NULL;
    if (p) *p = 5;
    assert(!p || x == 5); // SAFE: assertion
    assert(p || x == 4); // SAFE: assertion
    assert(p != NULL); // BUG: assertion
    return 0;
}
