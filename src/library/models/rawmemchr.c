void *rawmemchr(const void *s, int c)
{
    const unsigned char *x = s;
    while (*x != (unsigned char)c)
        x++;
    return (void *)x;
}
