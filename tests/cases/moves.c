#include <assert.h>
#include <string.h>

struct padded {
    char c;
    int i;
    char d;
};

int main(void) {
    struct padded a = {1, 2, 3}, b;
    memset(&b, 0xff, sizeof b);
    b = a;
    assert(b.c == 1 && b.i == 2 && b.d == 3); // SAFE: assertion
    int v[6] = {1, 2, 3, 4, 5, 6};
    memmove(v + 1, v, 5 * sizeof(int));
    assert(v[0] == 1 && v[1] == 1 && v[5] == 5); // SAFE: assertion
    memmove(v, v + 2, 4 * sizeof(int));
    assert(v[0] == 2 && v[3] == 5 && v[4] == 4); // SAFE: assertion
    unsigned x;
    memset(&x, 0x1a5, sizeof x);
    assert(x == 0xa5a5a5a5u); // SAFE: assertion
    memcpy((char *)&x + 1, "\1\2", 2);
    assert(x == 0xa50102a5u); // BUG: assertion
    return 0;
}
