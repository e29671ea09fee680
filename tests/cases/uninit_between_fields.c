// RULES: uninit-read
// What lies between the fields of a struct, or behind the member of a union that was set, was never set.
#include <string.h>

extern int __VERIFIER_nondet_int(void);

struct padded {
    char c;
    int i;
};

struct pair {
    int a;
    int b;
};

union wide {
    int a;
    char c[8];
};

static int equal(const struct padded *a, const struct padded *b)
{
    return memcmp(a, b, sizeof *a) == 0; // BUG: uninit-read
}

static int sum(const struct pair *p, unsigned at)
{
    const char *bytes = (const char *)p;
    if (bytes[at]) // BUG: uninit-read
        return 1;
    return 0;
}

int main(void)
{
    int n = __VERIFIER_nondet_int();
    if (n == 1) {
        struct padded a, b;
        a.c = b.c = 1;
        a.i = b.i = 2;
        if (equal(&a, &b))
            return 1;
    }
    if (n == 2) {
        struct pair p;
        p.a = 5;
        return sum(&p, 6);
    }
    if (n == 3) {
        union wide u;
        u.a = 7;
        if (u.c[4 + (n & 3)]) // BUG: uninit-read
            return 2;
    }
    if (n == 4) {
        // A copy takes what is between the fields along.
        struct padded a, b;
        a.c = 1;
        a.i = 2;
        memcpy(&b, &a, sizeof b);
        long all;
        memcpy(&all, &b, sizeof all);
        if ((all >> 8 & 0xff) == 3) // BUG: uninit-read
            return 3;
    }
    if (n == 5) {
        struct padded a, b;
        a.c = 1;
        a.i = 2;
        b = a;
        if (b.c == 1 && b.i == 2) // SAFE: uninit-read
            return 4;
    }
    return 0;
}
