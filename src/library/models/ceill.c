long double ceill(long double x)
{
    return __builtin_elementwise_ceil(x);
}
