#include <assert.h>

// An address is above null, but as a signed number it may be anywhere.
int main(void) {
    int x;
    int *p = &x;
    assert(p > (int *)0); // SAFE: assertion
    assert((long)p > 0); // UNKNOWN: assertion
    return 0;
}
