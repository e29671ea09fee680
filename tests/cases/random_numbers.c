#include <assert.h>
#include <stdlib.h>

int main(void) {
    assert(rand() >= 0); // SAFE: assertion
    assert(rand() < 1000); // BUG: assertion
    return 0;
}
