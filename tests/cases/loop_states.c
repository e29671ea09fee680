// A state machine that inputs drive for ever.
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assert(int);

int main(void) {
    int state = 10, armed = 0, turns = 0;
    while (state != 40) {
        turns++;
        switch (state) {
        case 10: state = __VERIFIER_nondet_int() ? 20 : 10; break;
        case 20:
            armed = 1;
            state = __VERIFIER_nondet_int() ? 30 : 10;
            break;
        case 30:
            __VERIFIER_assert(armed == 1); // SAFE: assertion
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
    __VERIFIER_assert(turns != 7); // BUG: assertion
    return 0;
}
