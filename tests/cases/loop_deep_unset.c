// What was never set may be anything, also behind many turns.
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assert(int);

int main(void) {
    int set[20000], copy[20000];
    for (int i = 0; i < 20000; i++) {
        if (__VERIFIER_nondet_uint() & 1) {
            set[i] = 1;
        }
    }
    for (int i = 0; i < 20000; i++) {
        copy[i] = set[i];
    }
    __VERIFIER_assert(copy[15000] == 1 || copy[15000] == 0); // BUG: assertion
    return 0;
}
