// RULES: out-of-bounds
// A stack that is looked at one place too far when it is full.
extern int __VERIFIER_nondet_int(void);

static char stack[4];

int main(void) {
    unsigned top = 0;
    while (__VERIFIER_nondet_int()) {
        int step = __VERIFIER_nondet_int();
        if (step == 1 && top < 4)
            stack[top++] = 1; // SAFE: out-of-bounds
        if (step == 2 && top <= 4)
            stack[top] = 1; // BUG: out-of-bounds
        if (step == 3 && top > 0)
            stack[--top] = 1; // SAFE: out-of-bounds
    }
    return 0;
}
