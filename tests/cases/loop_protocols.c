// State machines driven by inputs for ever: a lock, a protocol with states, a flag that is set once.
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assert(int);

static void lock_and_unlock(void) {
    int locked = 0, taken = 0, given = 0;
    for (;;) {
        if (__VERIFIER_nondet_int() == 7)
            return;
        if (__VERIFIER_nondet_int()) {
            if (!locked) {
                __VERIFIER_assert(taken == given); // SAFE: assertion
                locked = 1;
                taken++;
            }
        } else if (locked) {
            __VERIFIER_assert(taken != given); // SAFE: assertion
            locked = 0;
            given++;
        }
        __VERIFIER_assert(given < 3); // BUG: assertion
    }
}

static void states(void) {
    int state = 10, armed = 0;
    while (state != 40) {
        switch (state) {
        case 10: state = __VERIFIER_nondet_int() ? 20 : 10; break;
        case 20:
            armed = 1;
            state = __VERIFIER_nondet_int() ? 30 : 10;
            break;
        case 30:
            __VERIFIER_assert(armed == 1); // SAFE: assertion
            __VERIFIER_assert(armed == 0); // BUG: assertion
            if (__VERIFIER_nondet_int()) {
                armed = 0;
                state = 10;
            } else {
                state = 40;
            }
            break;
        default: __VERIFIER_assert(0); // SAFE: assertion
        }
    }
    __VERIFIER_assert(armed); // SAFE: assertion
}

static int flag;
static int last;

static void remember(int value) {
    int copy[2] = {value, flag};
    if (!copy[1] && copy[0] > 100) {
        flag = 1;
        last = copy[0];
    }
}

static void flag_and_value(void) {
    while (__VERIFIER_nondet_int()) {
        remember(__VERIFIER_nondet_int());
        __VERIFIER_assert(!flag || last > 100); // SAFE: assertion
    }
    __VERIFIER_assert(flag || last == 0); // SAFE: assertion
    __VERIFIER_assert(last != 123); // BUG: assertion
}

int main(void) {
    switch (__VERIFIER_nondet_int()) {
    case 0: lock_and_unlock(); break;
    case 1: states(); break;
    default: flag_and_value(); break;
    }
    return 0;
}
