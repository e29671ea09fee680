// RULES: use-after-free
// A variable of a loop's body is another one in each turn.
extern unsigned __VERIFIER_nondet_uint(void);
static int *kept, total;

static void keep(int *p) {
    if (kept)
        total += *kept; // BUG: use-after-free
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
            r = p[1]; // BUG: use-after-free
        p = pair;
    }
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
    default: used_in_time();
    }
    return total;
}
