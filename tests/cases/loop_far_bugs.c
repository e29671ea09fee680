// What is violated behind more turns than a proof waits for: a proof is tried first, and must not find one.
int __VERIFIER_nondet_int(void);
void __VERIFIER_assert(int);

#define MANY 20000

static int from[MANY], to[MANY];

/* The last element but one is left out. */
static void all_but_one(void) {
    for (int i = 0; i < MANY; i++)
        from[i] = __VERIFIER_nondet_int();
    for (int i = 0; i < MANY; i++)
        if (i != MANY - 2)
            to[i] = from[i];
    for (int i = 0; i < MANY; i++)
        __VERIFIER_assert(to[i] == from[i]); // BUG: assertion
}

/* Nothing is left out. */
static void all(void) {
    for (int i = 0; i < MANY; i++)
        to[i] = from[i];
    for (int i = 0; i < MANY; i++)
        __VERIFIER_assert(to[i] == from[i]); // SAFE: assertion
}

int main(void) {
    all();
    all_but_one();
    return 0;
}
