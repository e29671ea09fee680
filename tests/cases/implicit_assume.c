// FLAGS: -Wno-implicit-function-declaration
#include <assert.h>

// A function that nobody declared is said to return an int.
int __VERIFIER_nondet_int(void);

int main(void) {
    int x = __VERIFIER_nondet_int();
    __VERIFIER_assume(x > 3);
    assert(x > 2); // SAFE: assertion
    assert(x > 4); // BUG: assertion
    return 0;
}
