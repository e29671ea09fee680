// What a recursive function changes and puts back, whatever the depth.
int __VERIFIER_nondet_int(void);
unsigned __VERIFIER_nondet_uint(void);
void __VERIFIER_assert(int);

static unsigned depth;

/* The depth is what it was, wherever it turns back. */
static void walk(unsigned n) {
    depth++;
    if (n > 1) {
        walk(n / 2);
        if (__VERIFIER_nondet_int())
            walk(n / 3);
    }
    depth--;
}

int main(void) {
    walk(__VERIFIER_nondet_uint());
    __VERIFIER_assert(depth == 0); // SAFE: assertion
    return 0;
}
