// RULES: out-of-bounds
// Pointers that walk through memory of any size, up to its end or one too far.
#include <stdlib.h>
extern unsigned __VERIFIER_nondet_uint(void);

static void clear(int *from, const int *end) {
    for (; from != end; from++)
        *from = 0; // SAFE: out-of-bounds
}

static void fill(long *from, unsigned count) {
    while (count--)
        *from++ = 1; // SAFE: out-of-bounds
}

static void up_to(short *from, const short *last) {
    for (; from <= last; from++)
        *from = 2; // BUG: out-of-bounds
}

int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    if (n == 0 || n > 100000)
        return 0;
    int *a = malloc(n * sizeof *a);
    long *b = malloc(n * sizeof *b);
    short *c = malloc(n * sizeof *c);
    if (!a || !b || !c)
        abort();
    clear(a, a + n);
    fill(b, n);
    if (n == 3)
        up_to(c, c + n);
    free(a);
    free(b);
    free(c);
    return 0;
}
