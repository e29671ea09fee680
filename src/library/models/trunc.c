double trunc(double x)
{
    return __builtin_elementwise_trunc(x);
}
