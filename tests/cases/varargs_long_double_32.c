// FLAGS: -m32 -nostdinc
typedef __builtin_va_list va_list;
void __VERIFIER_assert(int);

// The 32-bit convention does not align a long double to 16 bytes.
static int wide(int n, ...) {
    va_list ap;
    __builtin_va_start(ap, n);
    int i = __builtin_va_arg(ap, int);
    long double d = __builtin_va_arg(ap, long double);
    int k = __builtin_va_arg(ap, int);
    __builtin_va_end(ap);
    return i + (int)d * 10 + k * 100;
}

int main(void) {
    int sum = wide(3, 1, 2.0L, 3);
    __VERIFIER_assert(sum == 321); // SAFE: assertion
    return 0;
}
