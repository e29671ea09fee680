long double floorl(long double x)
{
    return __builtin_elementwise_floor(x);
}
