long double truncl(long double x)
{
    return __builtin_elementwise_trunc(x);
}
