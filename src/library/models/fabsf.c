float fabsf(float x)
{
    return __builtin_elementwise_abs(x);
}
