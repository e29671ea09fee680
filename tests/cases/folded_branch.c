#include <assert.h>

int __VERIFIER_nondet_int(void);

// Both arms are true, so the branch on each is folded away before the last operand.
int main(void) {
    int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int();
    int both = (x == 3 ? 7 : 8) && y;
    assert(both == (y != 0)); // SAFE: assertion
    assert(both); // BUG: assertion
    return 0;
}
