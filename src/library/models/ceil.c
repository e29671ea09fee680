double ceil(double x)
{
    return __builtin_elementwise_ceil(x);
}
