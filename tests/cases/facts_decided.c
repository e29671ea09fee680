// Assertions that the ranges of numbers decide, whatever comes before them, and some that they do not.
extern void __VERIFIER_error(void);
int __VERIFIER_nondet_int(void);
unsigned __VERIFIER_nondet_uint(void);
unsigned char __VERIFIER_nondet_uchar(void);

static void check(int holds) {
    if (!holds)
        __VERIFIER_error(); // SAFE: assertion
}

static void may_fail(int holds) {
    if (!holds)
        __VERIFIER_error(); // BUG: assertion
}

/* A product that wraps is a number without a sign all the same. */
static unsigned folded(unsigned depth, unsigned so_far) {
    unsigned next = so_far * __VERIFIER_nondet_uint();
    check((long long)next >= 0 && (long long)next <= 4294967295LL);
    return depth == 0 ? next : folded(depth - 1, next);
}

static int state(unsigned char byte) {
    int kind = byte < 100 ? 1 : byte < 200 ? 2 : 3;
    if (kind > 3)
        __VERIFIER_error(); // SAFE: assertion
    return kind;
}

int main(void) {
    folded(__VERIFIER_nondet_uint(), 1);
    check(state(__VERIFIER_nondet_uchar()) != 0);
    check((__VERIFIER_nondet_int() & 7) < 8);
    // Read with a sign, the highest bit makes it negative.
    may_fail((int)__VERIFIER_nondet_uint() >= 0);
    return 0;
}
