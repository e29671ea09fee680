float floorf(float x)
{
    return __builtin_elementwise_floor(x);
}
