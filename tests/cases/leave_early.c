#include <assert.h>
#include <stdlib.h>

int __VERIFIER_nondet_int(void);

int main(void) {
    int x = __VERIFIER_nondet_int();
    if (x < 0) exit(1);
    assert(x >= 0); // SAFE: assertion
    if (x > 10) abort();
    assert(x != 10); // BUG: assertion
    if (x < 99) exit(0);
    assert(x == 77); // SAFE: assertion
}
