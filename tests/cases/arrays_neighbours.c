// RULES: div-by-zero
// What lies beside an array in a struct or a union changes when the array is left, or the whole is written.
#include <string.h>

extern unsigned __VERIFIER_nondet_uint(void);

struct R {
    int a[4];
    int d;
};

static struct R whole, left, first;
static union {
    struct R s;
    int w[5];
} both;

static void fill(int *p, int n)
{
    for (int i = 0; i < n; i++)
        p[i] = 0;
}

static int by_memset(void)
{
    return 7 / whole.d; // BUG: div-by-zero
}

static int by_union(void)
{
    return 7 / both.s.d; // BUG: div-by-zero
}

static int by_index(void)
{
    return 7 / left.d; // BUG: div-by-zero
}

static int untouched(void)
{
    return 7 / first.d; // SAFE: div-by-zero
}

int main(void)
{
    unsigned n = __VERIFIER_nondet_uint();
    whole.d = both.s.d = left.d = first.d = 1;
    fill(first.a, 4);
    if (n <= sizeof whole) {
        memset(&whole, 0, n);
        return by_memset();
    }
    if (n == 100) {
        for (unsigned i = 0; i < 5; i++)
            both.w[i] = 0;
        return by_union();
    }
    if (n == 101) {
        fill(left.a, 5);
        return by_index();
    }
    return untouched();
}
