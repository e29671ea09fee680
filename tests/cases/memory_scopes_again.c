// RULES: use-after-free
// A variable of a loop's body is another one in each turn, but not for a jump back inside its block.
extern unsigned __VERIFIER_nondet_uint(void);
static int *kept, total;

static void keep(int *p) {
    if (kept)
        total += *kept; // UNKNOWN: use-after-free
    kept = p;
}

static void add(const int *p) {
    total += p[1];
}

static int turns(void) {
    int *p = 0, r = 0;
    while (__VERIFIER_nondet_uint()) {
        int pair[2] = {1, 2};
        if (p)
            r = p[1]; // UNKNOWN: use-after-free
        p = pair;
    }
    return r;
}

static int jumps(void) {
    int *p = 0, r = 0;
again:;
    int x = 1;
    if (p)
        r = *p; // SAFE: use-after-free
    p = &x;
    if (__VERIFIER_nondet_uint())
        goto again;
    return r;
}

static void calls(void) {
    for (int i = 0; i < 3; i++) {
        int x = i;
        keep(&x);
    }
}

static void used_in_time(void) {
    int *p = 0;
    for (int i = 0; i < 1000; i++) {
        int pair[2] = {i, 1};
        p = pair;
        p[0] = 2; // SAFE: use-after-free
        add(p);
    }
}

int main(void) {
    switch (__VERIFIER_nondet_uint()) {
    case 0: return turns();
    case 1: calls(); break;
    case 2: return jumps();
    default: used_in_time();
    }
    return total;
}
