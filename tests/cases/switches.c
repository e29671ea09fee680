#include <assert.h>

int __VERIFIER_nondet_int(void);

static int score(int x) {
    int n = 0;
    switch (x) {
    case 1: n += 1;
    case 2: n += 2; break;
    default: n = 9; break;
    case 4: n += 4;
    }
    return n;
}

int main(void) {
    assert(score(1) == 3 && score(2) == 2 && score(4) == 4 && score(3) == 9); // SAFE: assertion
    int x = __VERIFIER_nondet_int(), n = score(x);
    assert(n == 2 || n == 3 || n == 4 || n == 9); // SAFE: assertion
    assert(n != 3); // BUG: assertion
    return 0;
}
