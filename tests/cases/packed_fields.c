#include <assert.h>

struct __attribute__((packed)) odd {
    unsigned a : 3;
    unsigned long long b : 37;
    signed c : 7;
};

int main(void) {
    struct odd o = {5, 0x1234567890ull, -3};
    assert(o.a == 5 && o.b == 0x1234567890ull && o.c == -3); // SAFE: assertion
    o.b += 1;
    assert(o.a == 5 && o.b == 0x1234567891ull && o.c == -3); // SAFE: assertion
    assert(o.c == 125); // BUG: assertion
    return 0;
}
