// RULES: signed-overflow
// Arithmetic in char and short is done in int: C defines what is cut off.
int __VERIFIER_nondet_int(void);

int main(void)
{
    int n = __VERIFIER_nondet_int();
    signed char c = (signed char)n;
    short s = (short)n;
    unsigned char u = (unsigned char)n;
    if (n == 1)
        c = c + 1; // SAFE: signed-overflow
    if (n >= 100 && n < 200)
        c++; // UNKNOWN: signed-overflow
    if (n == 300)
        s = s * s; // UNKNOWN: signed-overflow
    u++;
    if (n == 7)
        n = n << 28; // SAFE: signed-overflow
    if (n == 8)
        n = n << 28; // BUG: signed-overflow
    if (n > 2000000000)
        n = n + 147483648; // BUG: signed-overflow
    return c + s + u;
}
