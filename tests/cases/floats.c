#include <assert.h>

double __VERIFIER_nondet_double(void);

int main(void) {
    double zero = 0.0, nan = zero / zero, minus = -zero;
    assert(nan != nan && !(nan < nan) && !(nan >= 0)); // SAFE: assertion
    assert(minus == zero && 1 / minus < 0 && 1 / zero > 0); // SAFE: assertion
    double d = -1.9, big = 255.9;
    float g = 2.9f;
    assert((int)d == -1 && (int)g == 2); // SAFE: assertion
    assert((unsigned char)big == 255); // SAFE: assertion
    float f = 16777217;
    assert(f == 16777216.0f); // SAFE: assertion
    double tenth = 0.1;
    assert((float)tenth != tenth && tenth + 0.2 != 0.3); // SAFE: assertion
    double y = 1.0000000000000002;
    assert(y * y + -1.0000000000000004 == 0.0); // SAFE: assertion
    double x = __VERIFIER_nondet_double();
    assert(x == x); // BUG: assertion
    return 0;
}
