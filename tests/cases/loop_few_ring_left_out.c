// The same, but for one element.
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assert(int);

int main(void) {
    int ring[8] = {0};
    int head = 0, tail = 0;
    for (int i = 1; i < 8; i++)
        ring[i] = 1;
    while (__VERIFIER_nondet_int()) {
        int value = __VERIFIER_nondet_int();
        if (value > 0) {
            ring[head & 7] = value;
            head = (head + 1) & 6;
        } else {
            __VERIFIER_assert(ring[tail & 7] >= 0); // SAFE: assertion
            __VERIFIER_assert((tail & 7) == 0 || ring[tail & 7] > 0); // SAFE: assertion
            __VERIFIER_assert(ring[tail & 7] > 0); // BUG: assertion
            tail++;
            if (tail > 1000)
                tail = 0;
        }
    }
    return 0;
}
