double floor(double x)
{
    return __builtin_elementwise_floor(x);
}
