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

static void three_at_once(void) {
    unsigned turns = 0, locked = 0, owner = 0, ticket = 0;
    while (__VERIFIER_nondet_uint()) {
        unsigned in = __VERIFIER_nondet_uint();
        turns++;
        if (!locked && in > 10) {
            locked = 1;
            owner = in;
            ticket = in + 12345;
        } else if (locked && in == owner) {
            __VERIFIER_assert(ticket - owner == 12345); // SAFE: assertion
            locked = 0;
        }
    }
}

int main(void) {
    switch (__VERIFIER_nondet_uint()) {
    case 0: hand_on(); break;
    case 1: hand_on_too_early(); break;
    default: three_at_once();
    }
    return 0;
}
