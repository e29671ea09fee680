// A pointer to one of two variables, and variables that live for one turn.
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assert(int);

int main(void) {
    int a = 1, b = 2;
    int *p = &a;
    int n = __VERIFIER_nondet_int();
    int sum = 0;
    for (int i = 0; i < n; i++) {
        int pair[2] = {i, i};
        int *q = pair;
        sum |= q[1] - q[0];
        if (__VERIFIER_nondet_int())
            p = p == &a ? &b : &a;
    }
    __VERIFIER_assert(*p == 1 || *p == 2); // SAFE: assertion
    __VERIFIER_assert(sum == 0); // SAFE: assertion
    __VERIFIER_assert(p == &a); // BUG: assertion
    return 0;
}
