// No object lies in the first or the last page of memory, where null, `(void *)-1` and their like are.
#include <stdint.h>
#include <stdlib.h>
unsigned __VERIFIER_nondet_uint(void);
void __VERIFIER_assert(int);

static int variable;
static char *const failed = (char *)-1;

static char *obtain(unsigned how) {
    if (how == 0)
        return failed;
    return malloc(40);
}

int main(void) {
    int local[4];
    __VERIFIER_assert((intptr_t)&variable != 1);           // SAFE: assertion
    __VERIFIER_assert((uintptr_t)(local + 4) - 8 != 8);    // SAFE: assertion
    __VERIFIER_assert((void *)main != (void *)-1);         // SAFE: assertion
    __VERIFIER_assert((uintptr_t)&variable > 100);         // SAFE: assertion
    __VERIFIER_assert((uintptr_t)local < UINTPTR_MAX - 9); // SAFE: assertion
    char *got = obtain(__VERIFIER_nondet_uint());
    if (got != failed) {
        got[39] = 1;
        __VERIFIER_assert(got[39] == 1); // SAFE: assertion
        __VERIFIER_assert((uintptr_t)&variable != 0x601040); // UNKNOWN: assertion
    } else {
        __VERIFIER_assert(got == NULL); // BUG: assertion
    }
    return 0;
}
