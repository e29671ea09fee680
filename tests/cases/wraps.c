// FLAGS: -fno-strict-overflow
// RULES: assertion,signed-overflow
// Built like this, sums and products that do not fit are defined: they wrap. A quotient still traps.
#include <assert.h>
#include <limits.h>
int __VERIFIER_nondet_int(void);

int main(void)
{
    int n = __VERIFIER_nondet_int();
    int next = n + 1;
    int square = n * n;
    int opposite = -n;
    if (n == INT_MAX) {
        assert(next == INT_MIN); // SAFE: assertion
        assert(square == 1);     // SAFE: assertion
        assert(next > n);        // BUG: assertion
    }
    if (n == INT_MIN) {
        assert(opposite == n); // SAFE: assertion
        return next / -1;      // SAFE: signed-overflow
    }
    return (opposite + INT_MAX) / n; // BUG: signed-overflow
}
