// What a turn shows because of the turns before it: values that wait some turns before anybody looks at them.
unsigned __VERIFIER_nondet_uint(void);
void __VERIFIER_assert(int);

static void delayed(void) {
    unsigned turns = 0, a = 1, b = 1, c = 1;
    while (__VERIFIER_nondet_uint()) {
        turns++;
        __VERIFIER_assert(a * a % 8 == 1); // SAFE: assertion
        a = b;
        b = c;
        c = __VERIFIER_nondet_uint() * 2 + 1;
    }
}

static void delayed_and_wrong(void) {
    unsigned turns = 0, a = 1, b = 1, c = 1;
    while (__VERIFIER_nondet_uint()) {
        turns++;
        __VERIFIER_assert(a * a % 8 == 1); // BUG: assertion
        a = b;
        b = c;
        c = __VERIFIER_nondet_uint() | (turns < 5);
    }
}

int main(void) {
    if (__VERIFIER_nondet_uint())
        delayed();
    else
        delayed_and_wrong();
    return 0;
}
