// Blocks of memory, arithmetic that tells whether it overflowed, and atomics of every style.
#include <stdatomic.h>
#include <string.h>

void blocks(char *to, char *from, size_t n) {
    memcpy(to, from, n);
    memmove(to + 1, to, n);
    memset(to, 0, 16);
}

int overflows(int a, int b, unsigned long *product) {
    int sum;
    int bad = __builtin_add_overflow(a, b, &sum);
    bad |= __builtin_sub_overflow(sum, b, &sum);
    bad |= __builtin_mul_overflow((unsigned long)a, *product, product);
    return bad;
}

_Atomic int count;
atomic_flag lock;
long word;
long atomics(void) {
    count++;
    atomic_fetch_sub_explicit(&count, 2, memory_order_relaxed);
    int expected = 1;
    atomic_compare_exchange_strong(&count, &expected, 5);
    while (atomic_flag_test_and_set(&lock)) {}
    __sync_fetch_and_or(&word, 4);
    __sync_val_compare_and_swap(&word, 4, 8);
    __atomic_store_n(&word, 9, __ATOMIC_RELEASE);
    __sync_synchronize();
    return __atomic_exchange_n(&word, 1, __ATOMIC_SEQ_CST);
}

int bits(unsigned x) {
    return __builtin_popcount(x) + __builtin_clz(x) + __builtin_bswap32(x);
}

int vla(int n) {
    int a[n];
    a[0] = n;
    return a[n - 1];
}
