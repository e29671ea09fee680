// Sums that stay the same although nobody knows how often the loop turns.
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assert(int);

int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    unsigned x = 0, y = 0, a = 0, b = 0;
    while (x < n) {
        x++;
        y += 2;
        if (__VERIFIER_nondet_int())
            a++;
        else
            b++;
    }
    __VERIFIER_assert(x == n); // SAFE: assertion
    __VERIFIER_assert(y == 2 * x); // SAFE: assertion
    __VERIFIER_assert(a + b == x); // SAFE: assertion
    __VERIFIER_assert(a <= b + 2); // BUG: assertion
    return 0;
}
