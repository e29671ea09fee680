float truncf(float x)
{
    return __builtin_elementwise_trunc(x);
}
