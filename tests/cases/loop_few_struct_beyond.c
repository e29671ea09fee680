// A write behind the array is one to the member beside it.
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assert(int);

static struct {
    int before;
    int data[6];
    int behind;
} s;

int main(void) {
    int *all = &s.before;
    unsigned top = 0;
    while (__VERIFIER_nondet_int()) {
        unsigned at = (unsigned)__VERIFIER_nondet_int();
        if (at < 6)
            s.data[at] = 1;
        else if (at == 6)
            all[7 - top % 2] = 2;
        else if (at == 7 && top < 6)
            top += 3;
        else if (at == 8)
            all[1 + top] = 3;
    }
    __VERIFIER_assert(s.before == 0); // SAFE: assertion
    __VERIFIER_assert(s.behind != 1); // SAFE: assertion
    __VERIFIER_assert(s.behind != 2); // BUG: assertion
    __VERIFIER_assert(s.behind != 3); // BUG: assertion
    __VERIFIER_assert(s.data[5] <= 3); // SAFE: assertion
    __VERIFIER_assert(s.data[5] != 2); // BUG: assertion
    return 0;
}
