#include <assert.h>

int main(void) {
    long double x = 1.0L, y = x / 3;
    assert(y != (double)y); // SAFE: assertion
    long double most = 9223372036854775807.0L;
    assert((long long)most == 9223372036854775807ll); // SAFE: assertion
    assert(y * 3 == 2.0L); // BUG: assertion
    return 0;
}
