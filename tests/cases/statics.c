#include <assert.h>

static int next(void) { static int n = 5; return n++; }

int main(void) {
    int a = next(), b = next();
    assert(a == 5 && b == 6); // SAFE: assertion
    int i = 1, n = (i++, i + 10);
    assert(n == 12 && i == 2); // SAFE: assertion
    int k = 0;
    if (k && ++i) k = 1;
    if (k || !i++) k = 2;
    assert(i == 3 && k == 0); // SAFE: assertion
    assert(next() == 6); // BUG: assertion
    return 0;
}
