// Parts of a large array are filled and copied at once.
#include <string.h>
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assert(int);

int main(void) {
    static const unsigned char first[4] = {9, 8, 7, 6};
    unsigned char from[5000], to[5000] = {0};
    for (unsigned i = 0; i < 5000; i++)
        from[i] = 1;
    memset(from + 100, 2, 50);
    memcpy(from + 200, first, 4);
    memcpy(to, from, 1000);
    memcpy(to + 2000, from + 100, 50);
    unsigned k = __VERIFIER_nondet_uint() % 5000;
    if (k < 100)
        __VERIFIER_assert(to[k] == 1); // SAFE: assertion
    else if (k < 150)
        __VERIFIER_assert(to[k] == 2); // SAFE: assertion
    else if (k == 150)
        __VERIFIER_assert(to[k] == 2); // BUG: assertion
    else if (k == 202)
        __VERIFIER_assert(to[k] == 7); // SAFE: assertion
    else if (k == 204)
        __VERIFIER_assert(to[k] == 6); // BUG: assertion
    else if (k >= 1000 && k < 2000)
        __VERIFIER_assert(to[k] == 0); // SAFE: assertion
    else if (k == 999)
        __VERIFIER_assert(to[k] == 0); // BUG: assertion
    else if (k >= 2000 && k < 2050)
        __VERIFIER_assert(to[k] == 1); // BUG: assertion
    return 0;
}
