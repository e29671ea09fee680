// Recursive functions of inputs: what they return is shown by induction, whatever the depth.
unsigned __VERIFIER_nondet_uint(void);
int __VERIFIER_nondet_int(void);
void __VERIFIER_assert(int);
void reach_error(void);

static int ninety_one(int n) {
    if (n > 100)
        return n - 10;
    return ninety_one(ninety_one(n + 11));
}

static unsigned sum(unsigned a, unsigned b) {
    __VERIFIER_assert(a + b >= 0u); // SAFE: assertion
    if (b == 0)
        return a;
    return sum(a + 1, b - 1);
}

static unsigned product(unsigned a, unsigned b) {
    if (b == 0)
        return 0;
    return a + product(a, b - 1);
}

static int is_odd(int n);

static int is_even(int n) {
    if (n == 0)
        return 1;
    return is_odd(n - 1);
}

static int is_odd(int n) {
    if (n == 0)
        return 0;
    return is_even(n - 1);
}

/* One of its calls returns more than the others. */
static unsigned almost(unsigned n) {
    if (n == 0)
        return 0;
    if (n == 4000)
        return 1 + almost(n - 1) + 1;
    return 1 + almost(n - 1);
}

static int deep(int n) {
    if (n == 3000)
        reach_error(); // UNKNOWN: assertion
    if (n <= 0)
        return 0;
    return deep(n - 1);
}

/* Nobody sees what it returns. */
static unsigned never(unsigned n) {
    return never(n + 1) + 1;
}

int main(void) {
    int n = __VERIFIER_nondet_int();
    int r = ninety_one(n);
    __VERIFIER_assert(r == 91 || n > 101); // SAFE: assertion

    unsigned a = __VERIFIER_nondet_uint(), b = __VERIFIER_nondet_uint();
    __VERIFIER_assert(sum(a, b) == a + b); // SAFE: assertion
    __VERIFIER_assert(product(a, b) == product(b, a)); // SAFE: assertion
    if (n >= 0) {
        int e = is_even(n);
        __VERIFIER_assert(e == 0 || e == 1); // SAFE: assertion
    }
    unsigned c = almost(a);
    __VERIFIER_assert(c == a); // UNKNOWN: assertion
    deep(n);
    if (n == 5)
        __VERIFIER_assert(never(a) == 7); // SAFE: assertion
    return 0;
}
