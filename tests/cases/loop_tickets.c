// What holds only while something is locked, and is nowhere said.
unsigned __VERIFIER_nondet_uint(void);
void __VERIFIER_assert(int);

int main(void) {
    unsigned turns = 0, locked = 0, owner = 0, ticket = 0;
    while (__VERIFIER_nondet_uint()) {
        unsigned in = __VERIFIER_nondet_uint();
        turns++;
        if (!locked && in > 10) {
            locked = 1;
            owner = in;
            ticket = in + 12345;
        } else if (locked && in == owner) {
            __VERIFIER_assert(ticket - owner == 12345); // SAFE: assertion
            locked = 0;
        }
    }
    return 0;
}
