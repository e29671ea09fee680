#include <assert.h>

int main(void) {
    int x;
    int y = x;
    assert(x == y); // SAFE: assertion
    int v[2];
    int first = v[0];
    assert(v[0] == first); // SAFE: assertion
    assert(x == 5); // BUG: assertion
    return 0;
}
