// FLAGS: -m32
// OPTIONS: --engine proofs --timeout 4
// More elements than an index that is never negative can number.
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assert(int);

static char big[0x80000001u];

int main(void)
{
    unsigned n = __VERIFIER_nondet_int();
    for (unsigned i = 0; i < n; i++)
        if (i < sizeof big)
            big[i] = 1;
    int bit = 0;
    while (__VERIFIER_nondet_int())
        bit ^= 1;
    __VERIFIER_assert(bit == 0); // UNKNOWN: assertion
    return 0;
}
