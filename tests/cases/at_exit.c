#include <assert.h>
#include <stdlib.h>

// What was registered runs when the program ends, the last one first, and destructors behind them; also when
// `exit` ends it. `_Exit` runs nothing.
static int order;

static void second(void) {
    assert(order == 1); // SAFE: assertion
    order = 2;
}

static void first(void) {
    assert(order == 0); // SAFE: assertion
    order = 1;
}

__attribute__((destructor)) static void last(void) {
    assert(order == 2); // SAFE: assertion
    assert(order == 0); // BUG: assertion
}

static void never(void) {
    assert(0); // SAFE: assertion
}

int __VERIFIER_nondet_int(void);

int main(void) {
    atexit(second);
    atexit(first);
    if (__VERIFIER_nondet_int()) {
        atexit(never);
        _Exit(0);
    }
    if (__VERIFIER_nondet_int())
        exit(1);
    return 0;
}
