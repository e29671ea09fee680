// Pointers, scopes and early exits in loops whose number of turns is an input.
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assert(int);

static void walks(int n) {
    int cells[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    int *p = cells;
    while (n-- > 0 && p < cells + 7) {
        *p = 2;
        p++;
    }
    __VERIFIER_assert(p >= cells && p <= cells + 7); // SAFE: assertion
    __VERIFIER_assert(cells[7] == 1); // SAFE: assertion
    __VERIFIER_assert(cells[3] == 1); // BUG: assertion
}

static void one_of_two(void) {
    int a = 1, b = 2;
    int *p = &a;
    while (__VERIFIER_nondet_int())
        p = p == &a ? &b : &a;
    __VERIFIER_assert(*p == 1 || *p == 2); // SAFE: assertion
    __VERIFIER_assert(p == &a); // BUG: assertion
}

static int scopes(int n) {
    int sum = 0;
    for (int i = 0; i < n; i++) {
        int pair[2] = {i, i};
        int *q = pair;
        if (q[0] != q[1])
            return -1;
        sum |= q[1] - q[0];
    }
    return sum;
}

static int finds(int wanted) {
    int i = 0;
    for (;;) {
        if (i == wanted)
            break;
        if (i > 50)
            return -1;
        i++;
    }
    return i;
}

int main(void) {
    int n = __VERIFIER_nondet_int();
    switch (__VERIFIER_nondet_int()) {
    case 0: walks(n); break;
    case 1: one_of_two(); break;
    case 2:
        __VERIFIER_assert(scopes(n) == 0); // SAFE: assertion
        break;
    default: {
        int i = finds(n);
        __VERIFIER_assert(i == -1 || i == n); // SAFE: assertion
        __VERIFIER_assert(i != 51); // BUG: assertion
    }
    }
    return 0;
}
