// Sums that stay the same although nobody knows how often the loop turns.
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assert(int);

int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    unsigned x = 0, y = 0;
    while (x < n) {
        x++;
        y += 2;
    }
    __VERIFIER_assert(x == n); // SAFE: assertion
    __VERIFIER_assert(y == 2 * x); // SAFE: assertion
    __VERIFIER_assert(y != 6); // BUG: assertion
    return 0;
}
