// How often inputs had some value, and tables that begin with zeros or numbers.
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assert(int);

int main(void) {
    unsigned counts[10] = {0};
    unsigned inputs = __VERIFIER_nondet_uint();
    for (unsigned i = 0; i < inputs; i++) {
        unsigned digit = __VERIFIER_nondet_uint() % 10;
        if (counts[digit] < 3)
            counts[digit]++;
    }
    unsigned k = __VERIFIER_nondet_uint();
    if (k < 10) {
        __VERIFIER_assert(counts[k] <= 3); // SAFE: assertion
        __VERIFIER_assert(counts[k] < 3); // BUG: assertion
    }
    return 0;
}
