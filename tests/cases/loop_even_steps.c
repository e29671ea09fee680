// What a number leaves when divided stays the same in every turn.
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assert(int);

int main(void) {
    unsigned x = 4;
    while (__VERIFIER_nondet_int())
        x += 6;
    __VERIFIER_assert(x % 2 == 0); // SAFE: assertion
    __VERIFIER_assert(x % 4 == 0); // BUG: assertion
    return 0;
}
