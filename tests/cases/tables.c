#include <assert.h>

static int inc(int x) { return x + 1; }
static int dec(int x) { return x - 1; }
static int (*const ops[])(int) = {inc, dec, inc};
int __VERIFIER_nondet_int(void);

int main(void) {
    assert(ops[0](1) == 2 && ops[1](1) == 0); // SAFE: assertion
    int i = __VERIFIER_nondet_int();
    if (i < 0 || i > 2) return 0;
    int x = ops[i](5);
    assert(x == 4 || x == 6); // SAFE: assertion
    assert(x == 6); // BUG: assertion
    return 0;
}
