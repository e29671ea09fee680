// Loops whose bounds are inputs: counters, sums that stay the same, steps, and their twins with a mistake.
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assert(int);

static void counts_up(int n) {
    int i = 0;
    while (i < n)
        i++;
    __VERIFIER_assert(n < 0 || i == n); // SAFE: assertion
    __VERIFIER_assert(i != 5); // BUG: assertion
}

static void in_step(unsigned n) {
    unsigned x = 0, y = 0;
    while (x < n) {
        x++;
        y += 2;
    }
    __VERIFIER_assert(y == 2 * x); // SAFE: assertion
    __VERIFIER_assert(y != 6); // BUG: assertion
}

static void shared_out(int n) {
    int a = 0, b = 0, all = 0;
    for (; all < n; all++) {
        if (__VERIFIER_nondet_int())
            a++;
        else
            b++;
    }
    __VERIFIER_assert(a + b == all); // SAFE: assertion
    __VERIFIER_assert(a <= b + 2); // BUG: assertion
}

static void even_steps(void) {
    unsigned x = 4;
    while (__VERIFIER_nondet_int())
        x += 6;
    __VERIFIER_assert(x % 2 == 0); // SAFE: assertion
    __VERIFIER_assert(x % 4 == 0); // BUG: assertion
}

static void nested(int n) {
    int total = 0;
    if (n > 1000)
        return;
    for (int i = 0; i < n; i++) {
        int j = 0;
        while (j < i)
            j++;
        __VERIFIER_assert(j == i); // SAFE: assertion
        total++;
    }
    __VERIFIER_assert(total >= 0 && total <= 1000); // SAFE: assertion
    __VERIFIER_assert(total < 3); // BUG: assertion
}

int main(void) {
    switch (__VERIFIER_nondet_int()) {
    case 0: counts_up(__VERIFIER_nondet_int()); break;
    case 1: in_step(__VERIFIER_nondet_uint()); break;
    case 2: shared_out(__VERIFIER_nondet_int()); break;
    case 3: even_steps(); break;
    default: nested(__VERIFIER_nondet_int()); break;
    }
    return 0;
}
