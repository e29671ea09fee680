// A check answers for what the same rule asks later of the same values, and for nothing else.
#include <stddef.h>
void svf_assert(_Bool);
int __VERIFIER_nondet_int(void);
unsigned long __VERIFIER_nondet_ulong(void);
static int four[4];
static int eight[8];

static void of_another_rule(size_t i) { int *at = &four[i]; svf_assert(i < 4); (void)at; } // OPEN: assertion
static int of_another_number(size_t i, size_t k) { int sum = four[i]; return sum + four[k]; } // OPEN: out-of-bounds
static int of_a_larger_object(size_t i) { int sum = eight[i]; return sum + four[i]; } // OPEN: out-of-bounds
static int on_one_way(size_t i, int n) { int sum = n ? four[i] : 0; return sum + four[i]; } // OPEN: out-of-bounds
static int before_it(int i) { int sum = *(four + i); return sum + four[i]; } // OPEN: out-of-bounds
static int of_the_last_turn(int n) {
    int sum = 0;
    for (int i = 0; i != n; i += 3) sum += four[i]; // OPEN: out-of-bounds
    return sum;
}
static int moved_on(int i) { int sum = four[i]; i++; return sum + four[i]; } // OPEN: out-of-bounds
static int sum_then_index(int i) { int k = i + 1; return four[k < 0 ? 0 : k]; } // OPEN: signed-overflow
static int another_sum(int a, int b) { int c = a + b; int d = a + b + 1; return c ^ d; } // OPEN: signed-overflow
static int in_an_index(int i) { if (i < 0) return 0; int k = i + 1; return k < 4 ? four[k] : 0; } // OPEN: signed-overflow
static int counts_both_ways(int n) { int i = 0; while (n--) i += n & 1 ? 1 : -1; return i; } // OPEN: signed-overflow
static unsigned wraps(unsigned i) { unsigned k = i + 4; return k < 4 ? eight[i & 15] : 0; } // OPEN: out-of-bounds
static int divided(int n) { int by = n > 0 ? n : -n; return 7 / (by / 2); } // OPEN: div-by-zero
static int shifted(int n) { return 1 << (n & 63); } // OPEN: bad-shift
static int shifted_right(int n) { return four[(unsigned)n >> 29]; } // OPEN: out-of-bounds
static int shifted_sign(int n) { return four[(n >> 30) + 1]; } // OPEN: out-of-bounds
static int masked(int n, int k) { return four[(n & 3) | (k & 4)]; } // OPEN: out-of-bounds
static int toggled(int n) { return four[(n & 3) ^ 4]; } // OPEN: out-of-bounds
static int divided_index(unsigned n) { return four[n / 800000000u]; } // OPEN: out-of-bounds
static int cut(int n) { return four[(signed char)(n & 255)]; } // OPEN: out-of-bounds

int main(void) {
    int n = __VERIFIER_nondet_int(), k = __VERIFIER_nondet_int();
    size_t i = __VERIFIER_nondet_ulong();
    switch (__VERIFIER_nondet_int()) {
    case 0: of_another_rule(i); return 0;
    case 1: return of_another_number(i, (size_t)n);
    case 2: return of_a_larger_object(i);
    case 3: return on_one_way(i, n);
    case 4: return before_it(n);
    case 5: return of_the_last_turn(n);
    case 6: return moved_on(n);
    case 7: return sum_then_index(n);
    case 8: return another_sum(n, k);
    case 9: return in_an_index(n);
    case 10: return counts_both_ways(n);
    case 11: return (int)wraps((unsigned)n);
    case 12: return divided(n);
    case 13: return shifted(n);
    case 14: return shifted_right(n);
    case 15: return shifted_sign(n);
    case 16: return masked(n, k);
    case 17: return toggled(n);
    case 18: return divided_index((unsigned)n);
    default: return cut(n);
    }
}
