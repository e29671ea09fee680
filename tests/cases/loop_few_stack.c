// A small array that inputs choose the index of: what is popped was pushed.
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assert(int);

int main(void) {
    int stack[16];
    int top = 0;
    while (__VERIFIER_nondet_int()) {
        int value = __VERIFIER_nondet_int();
        if (value > 0 && top < 16) {
            stack[top++] = value;
        } else if (top > 0) {
            int popped = stack[--top];
            __VERIFIER_assert(popped > 0); // SAFE: assertion
            __VERIFIER_assert(popped > 1); // BUG: assertion
        }
    }
    return 0;
}
