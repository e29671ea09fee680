// A pointer that walks through an array as far as an input says.
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assert(int);

int main(void) {
    int n = __VERIFIER_nondet_int();
    int cells[4] = {1, 1, 1, 1};
    int *p = cells;
    while (n-- > 0) {
        if (p < cells + 3) {
            *p = 2;
            p++;
        }
    }
    __VERIFIER_assert(p >= cells && p <= cells + 3); // SAFE: assertion
    __VERIFIER_assert(cells[3] == 1); // SAFE: assertion
    __VERIFIER_assert(cells[2] == 1); // BUG: assertion
    return 0;
}
