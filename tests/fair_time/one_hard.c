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
    svf_assert(hash(sum) != 12345u || hash(seed) != 54321u);
    unsigned k = __VERIFIER_nondet_uint() % 8;
    svf_assert(k != 8);
    svf_assert(k < 9);
    svf_assert(k < 10);
    svf_assert(k < 11);
    svf_assert(k < 12);
    svf_assert(k < 13);
    svf_assert(k < 14);
    svf_assert(k < 15);
    svf_assert(k < 16);
    svf_assert(k < 17);
    return 0;
}
