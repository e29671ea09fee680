// A small array beside other members: a stack with its height.
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assert(int);

struct stack {
    int mark;
    int data[16];
    int top;
};

static void push(struct stack *s, int value) {
    if (s->top < 16)
        s->data[s->top++] = value;
}

static int pop(struct stack *s) {
    return s->top > 0 ? s->data[--s->top] : 1;
}

int main(void) {
    struct stack s = {0};
    s.mark = 7;
    while (__VERIFIER_nondet_int()) {
        int value = __VERIFIER_nondet_int();
        if (value > 0) {
            push(&s, value);
        } else {
            int popped = pop(&s);
            __VERIFIER_assert(popped > 0); // SAFE: assertion
            __VERIFIER_assert(popped < 100); // BUG: assertion
        }
    }
    __VERIFIER_assert(s.mark == 7); // SAFE: assertion
    __VERIFIER_assert(s.top >= 0 && s.top <= 16); // SAFE: assertion
    return 0;
}
