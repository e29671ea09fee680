// OPTIONS: --engine proofs --timeout 30
// Recursive functions that change memory: what they leave there is shown by induction, whatever the depth.
int __VERIFIER_nondet_int(void);
unsigned __VERIFIER_nondet_uint(void);
void __VERIFIER_assert(int);

static int count;

static void down(int n) {
    if (n <= 0)
        return;
    count++;
    down(n - 1);
}

struct pair {
    unsigned from, to;
};

static void pour(struct pair *p) {
    __VERIFIER_assert(p->to <= 4000000000u - p->from); // SAFE: assertion
    if (p->from == 0)
        return;
    p->from--;
    p->to++;
    pour(p);
}

static int is_odd(int *n);

static int is_even(int *n) {
    if (*n == 0)
        return 1;
    --*n;
    return is_odd(n);
}

static int is_odd(int *n) {
    if (*n == 0)
        return 0;
    --*n;
    return is_even(n);
}

int main(void) {
    int n = __VERIFIER_nondet_int();
    if (n < 0)
        return 0;
    count = 5;
    down(n);
    __VERIFIER_assert(count == 5 + n || n > 2147483642); // SAFE: assertion

    struct pair p = {__VERIFIER_nondet_uint(), 10};
    if (p.from > 1000000)
        return 0;
    unsigned from = p.from;
    pour(&p);
    __VERIFIER_assert(p.from == 0 && p.to == from + 10); // SAFE: assertion

    int even = is_even(&n);
    __VERIFIER_assert(n == 0); // SAFE: assertion
    __VERIFIER_assert(even == 0 || even == 1); // SAFE: assertion
    return 0;
}
