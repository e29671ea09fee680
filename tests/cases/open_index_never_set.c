// An index into memory of an arbitrary size, and no loop: the path is left there, and what holds of every element is
// proved all the same.
#include <stdlib.h>

extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assert(int);

int main(void) {
    unsigned count = __VERIFIER_nondet_uint();
    if (count < 8 || count > 10000)
        return 0;
    int *numbers = calloc(count, sizeof(int));
    unsigned index = __VERIFIER_nondet_uint() % count;
    __VERIFIER_assert(numbers[index] == 0); // SAFE: assertion
    numbers[index] = 7;
    __VERIFIER_assert(numbers[__VERIFIER_nondet_uint() % 2] == 0); // BUG: assertion
    free(numbers);
    return 0;
}
