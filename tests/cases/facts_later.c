// RULES: null-deref,div-by-zero
// A function that the library calls at a time of its own finds other memory than the call that handed it over.
#include <stdlib.h>
int __VERIFIER_nondet_int(void);

static int divisor = 3, start = 4, result, number;
static int *pointer;

static void at_end(void)
{
    result = 10 / divisor; // BUG: div-by-zero
    result += *pointer; // BUG: null-deref
    result += 10 / start; // BUG: div-by-zero
}

static int by_value(const void *a, const void *b)
{
    return *(const int *)a / start - *(const int *)b / start; // SAFE: div-by-zero
}

int main(void)
{
    int numbers[2] = {2, 1};
    qsort(numbers, 2, sizeof(int), by_value);
    pointer = &number;
    divisor = 2;
    atexit(at_end);
    divisor = __VERIFIER_nondet_int() ? 0 : 2;
    pointer = __VERIFIER_nondet_int() ? 0 : &number;
    start = __VERIFIER_nondet_int() ? 0 : 4;
    return 0;
}
