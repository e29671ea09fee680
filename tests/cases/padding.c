#include <assert.h>

// What lies between the members of a static object is the same every time: zeros.
struct gaps {
    char c;
    int i;
    unsigned flag : 3;
};

union mixed {
    char first;
    long wide;
};

static struct gaps g = {1, 2, 5};
static union mixed m = {.first = 3};

int main(void) {
    unsigned char *bytes = (unsigned char *)&g;
    assert(bytes[1] == bytes[1] && bytes[9] == bytes[9]); // SAFE: assertion
    assert(m.wide == 3); // SAFE: assertion
    assert(g.c == 1 && g.i == 2 && g.flag == 5); // SAFE: assertion
    assert(bytes[0] == 2); // BUG: assertion
    return 0;
}
