double fabs(double x)
{
    return __builtin_elementwise_abs(x);
}
