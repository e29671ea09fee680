// A loop in a loop, both bounded by inputs.
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assert(int);

int main(void) {
    int n = __VERIFIER_nondet_int();
    int total = 0;
    if (n > 1000)
        return 0;
    for (int i = 0; i < n; i++) {
        int j = 0;
        while (j < i)
            j++;
        __VERIFIER_assert(j == i); // SAFE: assertion
        total++;
    }
    __VERIFIER_assert(total >= 0 && total <= 1000); // SAFE: assertion
    __VERIFIER_assert(total < 3); // BUG: assertion
    return 0;
}
