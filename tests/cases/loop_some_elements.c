// Elements that a loop leaves out are left out of what is known.
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assert(int);

int from[50000], to[50000];

int main(void) {
    int hole = __VERIFIER_nondet_int();
    for (int i = 0; i < 50000; i++) {
        from[i] = __VERIFIER_nondet_int();
    }
    for (int i = 0; i < 50000; i++) {
        if (i != hole) {
            to[i] = from[i];
        }
    }
    for (int i = 0; i < 50000; i++) {
        if (i != hole) {
            __VERIFIER_assert(to[i] == from[i]); // SAFE: assertion
        }
    }
    return 0;
}
