#include <assert.h>

union pun {
    unsigned u;
    unsigned char bytes[4];
    float f;
};

int main(void) {
    union pun p;
    p.f = 1.0f;
    assert(p.u == 0x3f800000u); // SAFE: assertion
    p.bytes[3] = 0xbf;
    assert(p.f == -1.0f); // SAFE: assertion
    p.u = 0x01020304u;
    assert(p.bytes[0] == 1); // BUG: assertion
    return 0;
}
