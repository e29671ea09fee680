#include <assert.h>

struct fields {
    signed int low : 3;
    unsigned high : 3;
    signed char c : 5;
    unsigned long long wide : 40;
};

int main(void) {
    struct fields f = {0};
    f.low = 7;
    f.high = 7;
    f.c = 16;
    f.wide = ~0ull;
    assert(f.low == -1); // SAFE: assertion
    assert(f.high == 7); // SAFE: assertion
    assert(f.c == -16); // SAFE: assertion
    assert(f.wide == 0xffffffffffull); // SAFE: assertion
    f.high++;
    assert(f.high == 0 && f.low == -1); // SAFE: assertion
    char c = (char)0xff;
    assert(c == -1); // SAFE: assertion
    assert((unsigned char)c == 255 && (unsigned)c == 0xffffffffu); // SAFE: assertion
    assert((c >> 1) == 127); // BUG: assertion
    return 0;
}
