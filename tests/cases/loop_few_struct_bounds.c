// RULES: out-of-bounds
// The height of a stack is known only by the member beside it.
extern int __VERIFIER_nondet_int(void);

struct stack {
    int data[100];
    int top;
};

static void push(struct stack *s, int value) {
    if (s->top < 100)
        s->data[s->top++] = value; // SAFE: out-of-bounds
}

static int pop(struct stack *s) {
    return s->top > 0 ? s->data[--s->top] : 0; // SAFE: out-of-bounds
}

static int peek(struct stack *s) {
    return s->data[s->top - 1]; // BUG: out-of-bounds
}

int main(void) {
    static struct stack s;
    int x = 0;
    while (__VERIFIER_nondet_int()) {
        if (__VERIFIER_nondet_int())
            push(&s, __VERIFIER_nondet_int());
        else if (__VERIFIER_nondet_int())
            x ^= pop(&s);
        else
            x ^= peek(&s);
    }
    return x;
}
