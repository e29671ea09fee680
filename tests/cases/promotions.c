#include <assert.h>

int main(void) {
    unsigned char a = 200, b = 100;
    assert(a + b == 300); // SAFE: assertion
    unsigned char c = a + b;
    assert(c == 44); // SAFE: assertion
    unsigned short s = 65535;
    assert((unsigned)(s * 1u + 1u) == 65536u); // SAFE: assertion
    assert(~a == -201); // SAFE: assertion
    int minus = -1;
    unsigned u = 1;
    assert(minus > u); // SAFE: assertion
    assert((short)minus < (unsigned short)u); // SAFE: assertion
    u = 0;
    assert(u - 1 > 0); // SAFE: assertion
    assert((long)minus > 1u); // BUG: assertion
    return 0;
}
