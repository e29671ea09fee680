#include <assert.h>

int main(void) {
    int x;
    if (x > 3)
        assert(x != 3); // SAFE: assertion
    else
        assert(x != 3); // BUG: assertion
    unsigned char c;
    assert(c < 256); // SAFE: assertion
    return 0;
}
