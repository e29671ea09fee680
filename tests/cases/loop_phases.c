// A loop of two phases: what holds in the second is shown with the condition that tells them apart.
unsigned __VERIFIER_nondet_uint(void);
void __VERIFIER_assert(int);

static void by_ones_then_twos(void) {
    unsigned x = 0;
    while (x < 50000000) {
        if (x < 4000000)
            x++;
        else
            x += 2;
    }
    __VERIFIER_assert(x == 50000000); // SAFE: assertion
}

static void odd_from_there(void) {
    unsigned x = 0;
    while (x < 90) {
        if (x < 31)
            x++;
        else
            x += 2;
    }
    __VERIFIER_assert(x == 90); // BUG: assertion
}

int main(void) {
    if (__VERIFIER_nondet_uint())
        by_ones_then_twos();
    else
        odd_from_there();
    return 0;
}
