#include <assert.h>

int main(void) {
    volatile int go = 1;
    int n = 0;
    int always = 1;
    while (always) n ^= 1;
    assert(n == 7); // SAFE: assertion
    return go;
}
