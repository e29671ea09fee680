// Recursive functions that change memory, each with something that keeps a simple law from holding.
int __VERIFIER_nondet_int(void);
unsigned __VERIFIER_nondet_uint(void);
void __VERIFIER_assert(int);

static unsigned count, other;

/* Deep down, one call counts twice. */
static void down(unsigned n) {
    if (n == 0)
        return;
    count++;
    if (n == 77777)
        count++;
    down(n - 1);
}

/* What the first call is given is not what the others are. */
static void swapped(unsigned n, unsigned *p, unsigned *q) {
    if (n == 0)
        return;
    ++*p;
    swapped(n - 1, q, p);
}

static unsigned *kept;

/* It leaves the address of something else behind. */
static void keeps(unsigned n) {
    if (n == 5000)
        kept = &other;
    if (n > 0)
        keeps(n - 1);
}

/* Somebody else's variable changes while calls go on. */
static void writes(unsigned n) {
    if (n == 4000)
        *kept = 9;
    if (n > 0)
        writes(n - 1);
}

/* Each call has a variable of its own, which the next one changes. */
static void through(unsigned n, unsigned *result) {
    unsigned own = 7;
    if (n > 0)
        through(n - 1, &own);
    *result = 3;
}

int main(void) {
    unsigned n = __VERIFIER_nondet_uint(), x = 0, y = 0, mine = 3;
    count = 0;
    if (__VERIFIER_nondet_int()) {
        down(n);
        __VERIFIER_assert(count == n); // UNKNOWN: assertion
        return 0;
    }
    if (__VERIFIER_nondet_int()) {
        swapped(n, &x, &y);
        __VERIFIER_assert(y == 0); // BUG: assertion
        return 0;
    }
    if (__VERIFIER_nondet_int()) {
        kept = &mine;
        keeps(n);
        __VERIFIER_assert(kept == &mine); // UNKNOWN: assertion
        return 0;
    }
    if (__VERIFIER_nondet_int()) {
        kept = &mine;
        writes(n);
        __VERIFIER_assert(mine == 3); // UNKNOWN: assertion
        return 0;
    }
    through(n, &x);
    __VERIFIER_assert(x == 3); // SAFE: assertion
    return 0;
}
