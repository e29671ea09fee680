// OPTIONS: --timeout 40
// A table with an initialiser, changed here and there.
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assert(int);

int main(void) {
    short table[12] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8};
    while (__VERIFIER_nondet_uint()) {
        unsigned at = __VERIFIER_nondet_uint();
        if (at < 12 && at != 5)
            table[at] = (short)(1 + __VERIFIER_nondet_uint() % 8);
    }
    for (unsigned i = 0; i < 12; i++) {
        __VERIFIER_assert(table[i] > 0 && table[i] < 10); // SAFE: assertion
        __VERIFIER_assert(i == 5 || table[i] < 9); // SAFE: assertion
        __VERIFIER_assert(table[i] < 9); // BUG: assertion
    }
    return 0;
}
