/* The function NAME: the next word of a text, and where to go on. As glibc, which remembers the end when there is none. */
static int is_in(char c, const char *set)
{
    for (; *set != 0; set++)
        if (c == *set)
            return 1;
    return 0;
}

char *NAME(char *s, const char *set, char **rest)
{
    if (s == 0)
        s = *rest;
    if (*s == 0) {
        *rest = s;
        return 0;
    }
    while (*s != 0 && is_in(*s, set))
        s++;
    if (*s == 0) {
        *rest = s;
        return 0;
    }
    char *word = s;
    while (*s != 0 && !is_in(*s, set))
        s++;
    if (*s != 0)
        *s++ = 0;
    *rest = s;
    return word;
}
