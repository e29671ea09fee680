// The element above the last one that was pushed may never have been written.
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assert(int);

static unsigned char stack[64];
static unsigned top;

int main(void) {
    while (__VERIFIER_nondet_int()) {
        unsigned value = (unsigned)__VERIFIER_nondet_int();
        if (value % 3 == 0 && top < 63) {
            stack[top++] = (unsigned char)(1 + value % 10);
        } else if (top != 0) {
            __VERIFIER_assert(stack[top] > 0); // BUG: assertion
            unsigned popped = stack[--top];
            __VERIFIER_assert(popped > 0 && popped < 11); // SAFE: assertion
        }
    }
    return 0;
}
