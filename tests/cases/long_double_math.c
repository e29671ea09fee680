#include <assert.h>
#include <math.h>

// The functions of <math.h> on long doubles. A root is known to the solver only, so no path that depends on one is
// confirmed.

int main(void) {
    assert(sqrtl(9.0L) == 3.0L); // SAFE: assertion
    assert(floorl(2.5L) == 2.0L && ceill(2.5L) == 3.0L && truncl(-2.5L) == -2.0L); // SAFE: assertion
    assert(fabsl(-1.5L) == 1.5L); // SAFE: assertion
    assert(sqrtl(16.0L) == 5.0L); // UNKNOWN: assertion
    return 0;
}
