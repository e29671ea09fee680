// What lies behind so many choices is met by an execution with some inputs, or not at all.
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assert(int);

static unsigned seen[20000];

int main(void) {
    unsigned odd = 0;
    for (unsigned i = 0; i < 20000; i++) {
        seen[i] = __VERIFIER_nondet_uint();
        if (seen[i] & 1) {
            odd++;
        }
    }
    __VERIFIER_assert(odd <= 20000); // SAFE: assertion
    __VERIFIER_assert(odd < 9000); // BUG: assertion
    return 0;
}
