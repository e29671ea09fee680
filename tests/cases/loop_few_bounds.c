// OPTIONS: --timeout 20
// RULES: out-of-bounds
// Indices that stay inside by a hair, and some that do not.
extern int __VERIFIER_nondet_int(void);

static char wide[256], narrow[255], ring[16];

int main(void) {
    unsigned char at = 0;
    int signed_at = 0;
    while (__VERIFIER_nondet_int()) {
        int step = __VERIFIER_nondet_int();
        wide[at] = 1; // SAFE: out-of-bounds
        if (step == 1)
            narrow[at] = 1; // BUG: out-of-bounds
        if (step == 2)
            ring[signed_at % 16] = 1; // BUG: out-of-bounds
        if (step == 3)
            ring[signed_at & 15] = 1; // SAFE: out-of-bounds
        if (step == 4)
            ring[(unsigned)signed_at % 17] = 1; // BUG: out-of-bounds
        at += (unsigned char)step;
        signed_at = __VERIFIER_nondet_int();
    }
    return 0;
}
