// RULES: null-deref,div-by-zero
// A function that the library calls at a time of its own finds other memory than the call that handed it over.
#include <stdlib.h>
int __VERIFIER_nondet_int(void);

static int divisor, start = 4, result, number;
static int *pointer;

static void at_end(void) {
    result = 10 / divisor; // BUG: div-by-zero
    result += *pointer; // BUG: null-deref
}

static int by_value(const void *a, const void *b) {
    return *(const int *)a / start - *(const int *)b / start;
}

int main(void) {
    int numbers[2] = {2, 1};
    qsort(numbers, 2, sizeof(int), by_value);
    pointer = &number;
    divisor = 2;
    atexit(at_end);
    if (__VERIFIER_nondet_int())
        divisor = 0;
    if (__VERIFIER_nondet_int())
        pointer = 0;
    return 0;
}
