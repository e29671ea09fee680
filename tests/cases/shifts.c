#include <assert.h>

unsigned __VERIFIER_nondet_uint(void);

int main(void) {
    int minus = -8;
    assert((minus >> 1) == -4 && ((unsigned)minus >> 1) == 0x7ffffffcu); // SAFE: assertion
    unsigned n = __VERIFIER_nondet_uint();
    if (n >= 32) return 0;
    assert((1u << n) != 0); // SAFE: assertion
    assert(((1u << n) >> n) == 1); // SAFE: assertion
    assert((0x80000001u << n >> n) == 0x80000001u); // BUG: assertion
    return 0;
}
