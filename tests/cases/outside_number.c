// A function that is defined elsewhere and given nothing is an input; what others do is not known.
int setting(void);
int squared(int);
extern void __VERIFIER_assert(int);

int main(void) {
    int one = setting();
    __VERIFIER_assert(one != 17); // BUG: assertion
    __VERIFIER_assert(one - one == 0); // SAFE: assertion
    __VERIFIER_assert(squared(3) != 10); // UNKNOWN: assertion
    return 0;
}
