// Arrays nobody has set, written or read at an index that is one of many: what comes after is still found and walked to.
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assert(int);

static int after_a_write(int x) {
    int t[5];
    t[x & 3] = 6;
    int y = __VERIFIER_nondet_int();
    __VERIFIER_assert(y != 77); // BUG: assertion
    return t[x & 3] + (y & 1);
}

static int after_a_life(int x) {
    int sum = 0;
    for (int i = 0; i < 2; i++) {
        int t[4];
        t[x & 3] = i;
        int y = __VERIFIER_nondet_int();
        sum += t[x & 3] + (y & 7);
    }
    __VERIFIER_assert(sum != 9); // BUG: assertion
    return sum;
}

static int of_a_text(char **argv, int x) {
    char *text = argv[0];
    if (text == 0) {
        return 0;
    }
    char first = text[0];
    int y = __VERIFIER_nondet_int();
    __VERIFIER_assert(first != 'q' || y != x + 3); // BUG: assertion
    return first;
}

int main(int argc, char **argv) {
    int x = __VERIFIER_nondet_int();
    if (x < 0 || x > 100) {
        return 0;
    }
    return after_a_write(x) + after_a_life(x) + of_a_text(argv, x);
}
