#include <assert.h>

int main(void) {
    static void *const next[] = {&&one, &&two, &&done};
    int n = 0, at = 0;
    goto *next[at];
one:
    n += 1;
    goto *next[++at];
two:
    n += 10;
    goto *next[++at];
done:
    assert(n == 11); // SAFE: assertion
    assert(n == 12); // BUG: assertion
    return 0;
}
