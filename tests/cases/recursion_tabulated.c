// Recursive functions of a few numbers: each call is followed once.
int __VERIFIER_nondet_int(void);
void __VERIFIER_assert(int);

static int fibonacci(int n) {
    if (n < 2)
        return n;
    return fibonacci(n - 1) + fibonacci(n - 2);
}

static int paths(int x, int y) {
    if (x == 0 || y == 0)
        return 1;
    __VERIFIER_assert(x != 9 || y != 3); // BUG: assertion
    return paths(x - 1, y) + paths(x, y - 1);
}

static int guessed(int n) {
    if (n == 0)
        return __VERIFIER_nondet_int() & 1;
    return guessed(n - 1);
}

int main(void) {
    int n = __VERIFIER_nondet_int();
    if (n < 0 || n > 44)
        return 0;
    __VERIFIER_assert(fibonacci(n) >= n - 1); // SAFE: assertion
    if (n == 1)
        __VERIFIER_assert(fibonacci(44) != 701408733); // BUG: assertion
    if (n == 2)
        __VERIFIER_assert(guessed(3) == guessed(3)); // BUG: assertion
    __VERIFIER_assert(paths(8, 8) == 12870); // SAFE: assertion
    paths(10, 6);
    return 0;
}
