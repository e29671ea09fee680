float sqrtf(float x)
{
    return __builtin_elementwise_sqrt(x);
}
