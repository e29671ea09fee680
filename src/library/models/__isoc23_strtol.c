long strtol(const char *s, char **end, int base);

long __isoc23_strtol(const char *s, char **end, int base)
{
    return strtol(s, end, base);
}
