#include <assert.h>

static volatile int device;

int main(void) {
    int x = device;
    assert(x == x); // SAFE: assertion
    return 0;
}
