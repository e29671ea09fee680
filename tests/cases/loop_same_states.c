// A lock and a flag in a loop that never ends: there are only a few states, and then nothing new.
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assert(int);

static int flag;
static int last;

static void remember(int value) {
    int copy[2] = {value, flag};
    if (!copy[1] && copy[0] == 123) {
        flag = 1;
        last = copy[0];
    }
}

int main(void) {
    int locked = 0;
    for (;;) {
        if (__VERIFIER_nondet_int()) {
            if (!locked)
                locked = 1;
        } else if (locked) {
            __VERIFIER_assert(locked == 1); // SAFE: assertion
            locked = 0;
        }
        if (__VERIFIER_nondet_int())
            remember(__VERIFIER_nondet_int());
        __VERIFIER_assert(flag || last == 0); // SAFE: assertion
        __VERIFIER_assert(!flag || last == 123); // SAFE: assertion
        __VERIFIER_assert(!locked || !flag); // BUG: assertion
    }
}
