// What has to hold at the head of a loop is in no condition of the program: it is what the violation comes to a
// turn or two before. The counter keeps states from repeating.
unsigned __VERIFIER_nondet_uint(void);
void __VERIFIER_assert(int);

static void hand_on(void) {
    unsigned turns = 0, mode = 0, a = 0, b = 0, c = 0;
    for (;;) {
        unsigned in = __VERIFIER_nondet_uint();
        turns++;
        switch (mode) {
        case 0: a = in; b = in; mode = 1; break;
        case 1: c = a * 3 + 1; mode = 2; break;
        default:
            __VERIFIER_assert(c == b * 3 + 1); // SAFE: assertion
            mode = in == turns ? 0 : 1;
        }
    }
}

static void hand_on_too_early(void) {
    unsigned turns = 0, mode = 0, a = 0, b = 0, c = 0;
    for (;;) {
        unsigned in = __VERIFIER_nondet_uint();
        turns++;
        switch (mode) {
        case 0: a = in; mode = 1; break;
        case 1: c = a * 3 + 1; b = turns > 6 ? a + 1 : a; mode = 2; break;
        default:
            __VERIFIER_assert(c == b * 3 + 1); // BUG: assertion
            mode = in == turns ? 0 : 1;
        }
    }
}

int main(void) {
    if (__VERIFIER_nondet_uint())
        hand_on();
    else
        hand_on_too_early();
    return 0;
}
