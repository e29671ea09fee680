long double fabsl(long double x)
{
    return __builtin_elementwise_abs(x);
}
