// OPTIONS: --timeout=3
// One obligation that nobody decides in time; the others do not depend on it, and are decided.
extern void svf_assert(_Bool);
extern unsigned __VERIFIER_nondet_uint(void);

static unsigned hash(unsigned x) {
    for (int i = 0; i < 40; i++) x = (x ^ (x >> 7)) * 2654435761u + (x << 3);
    return x;
}

int main(void) {
    unsigned n = __VERIFIER_nondet_uint(), seed = __VERIFIER_nondet_uint(), sum = 0;
    for (unsigned i = 0; i < n; i++) {
        unsigned x = __VERIFIER_nondet_uint();
        sum = hash(sum ^ x) + seed;
    }
    svf_assert(hash(sum) != 12345u || hash(seed) != 54321u); // UNKNOWN: assertion
    unsigned k = __VERIFIER_nondet_uint() % 8;
    svf_assert(k != 8);  // SAFE: assertion
    svf_assert(k < 9);   // SAFE: assertion
    svf_assert(k < 10);  // SAFE: assertion
    svf_assert(k < 11);  // SAFE: assertion
    svf_assert(k < 12);  // SAFE: assertion
    svf_assert(k < 13);  // SAFE: assertion
    svf_assert(k < 14);  // SAFE: assertion
    svf_assert(k < 15);  // SAFE: assertion
    svf_assert(k < 16);  // SAFE: assertion
    svf_assert(k < 17);  // SAFE: assertion
    return 0;
}
