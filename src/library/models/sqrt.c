double sqrt(double x)
{
    return __builtin_elementwise_sqrt(x);
}
