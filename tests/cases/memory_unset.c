// RULES: uninit-read
// Values that nobody set: copying them is fine, deciding by them is not.
#include <stdio.h>
#include <stdlib.h>
int __VERIFIER_nondet_int(void);
struct flags { unsigned a : 3; unsigned b : 5; };
struct padded { char c; int i; };

static int use(int x) { return x; }
static int take(struct padded p) { return p.i; }

int main(void)
{
    int n = __VERIFIER_nondet_int();
    int x, y, z = 0;
    if (n == 1)
        x = 1;
    y = x;
    if (n == 1 && y == 1) // SAFE: uninit-read
        z = 1;
    if (n == 2 && y) // BUG: uninit-read
        z = 2;
    if (n == 3)
        printf("%d\n", x); // BUG: uninit-read
    if (n == 4)
        return use(x); // BUG: uninit-read
    struct flags f;
    f.b = 3;
    if (f.b == 3) // SAFE: uninit-read
        z = 3;
    struct padded p;
    p.c = 1;
    p.i = 2;
    z += take(p); // SAFE: uninit-read
    int *block = malloc(4 * sizeof(int));
    block[0] = z;
    if (n == 5 && block[1]) // BUG: uninit-read
        z = 4;
    int a[3] = {1, 2, 3};
    if (n == 6)
        return a[x & 1]; // BUG: uninit-read
    free(block);
    return z;
}
