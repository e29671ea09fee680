// Where a pointer leads that a turn of a loop chose has nothing to do with what is read later.
// OPTIONS: --engine proofs
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assert(int);
int one, many[8];

int main(void) {
    int *p = 0;
    unsigned i = 0;
    while (__VERIFIER_nondet_uint()) {
        unsigned k = __VERIFIER_nondet_uint() % 8;
        if (i == 0)
            p = &one;
        else
            p = &many[k];
        i = 1;
    }
    unsigned j = __VERIFIER_nondet_uint() % 8;
    __VERIFIER_assert(p == 0 || p == &one || p == &many[j]); // UNKNOWN: assertion
    return 0;
}
