long long strtoll(const char *s, char **end, int base);

long long __isoc23_strtoll(const char *s, char **end, int base)
{
    return strtoll(s, end, base);
}
