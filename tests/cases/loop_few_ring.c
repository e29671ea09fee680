// A ring of which every element was written before.
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assert(int);

int main(void) {
    int ring[16];
    int head = 0, tail = 0;
    for (int i = 0; i < 16; i++)
        ring[i] = 1;
    while (__VERIFIER_nondet_int()) {
        int value = __VERIFIER_nondet_int();
        if (value > 0) {
            ring[head % 16] = value;
            head = (head + 1) % 16;
        } else {
            __VERIFIER_assert(ring[tail & 15] >= 1); // SAFE: assertion
            __VERIFIER_assert(ring[tail & 15] <= 1); // BUG: assertion
            tail = (tail + 1) & 15;
        }
    }
    return 0;
}
