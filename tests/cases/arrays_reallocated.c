// What an array of unknown length held at its first places is not what it holds everywhere when it was made longer.
// OPTIONS: --engine proofs
#include <stdlib.h>
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assert(int);

int main(void) {
    unsigned n = __VERIFIER_nondet_uint(), m = __VERIFIER_nondet_uint();
    unsigned i = __VERIFIER_nondet_uint();
    if (n < 2 || n > 100000 || m < 2 || m > 100000 || i >= m)
        return 0;
    int *a = malloc(n * sizeof *a);
    a[0] = 7;
    a[1] = 5;
    a = realloc(a, m * sizeof *a);
    __VERIFIER_assert(a[i] == 7); // UNKNOWN: assertion
    return 0;
}
