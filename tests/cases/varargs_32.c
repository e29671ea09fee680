// FLAGS: -m32 -nostdinc
typedef __builtin_va_list va_list;
void __VERIFIER_assert(int);

static long mixed(int n, ...) {
    va_list ap, again;
    __builtin_va_start(ap, n);
    __builtin_va_copy(again, ap);
    int i = __builtin_va_arg(ap, int);
    double d = __builtin_va_arg(ap, double);
    long l = __builtin_va_arg(ap, long);
    int *p = __builtin_va_arg(ap, int *);
    long long ll = __builtin_va_arg(ap, long long);
    *p = __builtin_va_arg(again, int);
    __builtin_va_end(again);
    __builtin_va_end(ap);
    return i + (long)d + l + (long)ll;
}

int main(void) {
    int x = 0;
    long sum = mixed(5, 1, 2.5, 30l, &x, 400ll);
    __VERIFIER_assert(sum == 433); // SAFE: assertion
    __VERIFIER_assert(x == 1); // SAFE: assertion
    __VERIFIER_assert(sum == 434); // BUG: assertion
    return 0;
}
