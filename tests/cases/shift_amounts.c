// RULES: signed-overflow,bad-shift
// Which of the two a bad shift is: by its amount, or by what is shifted out. Never both.
extern int __VERIFIER_nondet_int(void);

int main(void)
{
    int n = __VERIFIER_nondet_int(), x = __VERIFIER_nondet_int();
    unsigned u = 32;
    if (n == 1)
        return (int)(1u << u); // BUG: bad-shift
    if (n == 2 && x == 1)
        return x << 31; // BUG: signed-overflow
    if (n == 3)
        return (int)(1u << 31);
    if (n == 4 && x == 1)
        return x << n;
    if (n == 5)
        return 1 << (x & 63); // BUG: bad-shift // UNKNOWN: signed-overflow
    return 0;
}
