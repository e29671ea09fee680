// RULES: div-by-zero,signed-overflow,unreachable,assertion
// A function can ask the compiler for no checks, and promise it what does not hold: neither hides what then happens.
#include <assert.h>
#include <limits.h>
int __VERIFIER_nondet_int(void);

__attribute__((no_sanitize("undefined"))) static int quotient(int a, int b)
{
    return a / b; // BUG: div-by-zero // BUG: signed-overflow
}

__attribute__((no_sanitize("all"))) static unsigned rest(unsigned a, unsigned b)
{
    return a % b; // SAFE: div-by-zero
}

__attribute__((no_sanitize("unreachable"))) static int sign(int a)
{
    if (a > 0)
        return 1;
    if (a <= 0)
        return -1;
    __builtin_unreachable(); // SAFE: unreachable
}

__attribute__((no_sanitize("unreachable"))) static int parity(int a)
{
    if ((a & 1) == 0)
        return 0;
    __builtin_unreachable(); // BUG: unreachable
}

int main(void)
{
    int n = __VERIFIER_nondet_int();
    if (n == INT_MIN || n == 0)
        return quotient(n, __VERIFIER_nondet_int());
    if (n > 10) {
        __builtin_assume(n > 5); // SAFE: unreachable
        return (int)rest(7u, (unsigned)n) + sign(n);
    }
    if (n > 7)
        return parity(n);
    __builtin_assume(n == 3); // BUG: unreachable
    assert(n == 3);           // SAFE: assertion
    return 0;
}
