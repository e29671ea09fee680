long strtol(const char *s, char **end, int base);

/* As glibc: what does not fit is undefined in C and wraps here. */
int atoi(const char *s)
{
    return (int)strtol(s, 0, 10);
}
