/* As glibc in the C locale: what does not fit is undefined in C and wraps here. */
int atoi(const char *s)
{
    unsigned value = 0;
    int negative = 0;
    while (*s == ' ' || (*s >= '\t' && *s <= '\r'))
        s++;
    if (*s == '-' || *s == '+')
        negative = *s++ == '-';
    while (*s >= '0' && *s <= '9')
        value = value * 10 + (unsigned)(*s++ - '0');
    return (int)(negative ? 0 - value : value);
}
