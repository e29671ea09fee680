unsigned long strtoul(const char *s, char **end, int base);

unsigned long __isoc23_strtoul(const char *s, char **end, int base)
{
    return strtoul(s, end, base);
}
