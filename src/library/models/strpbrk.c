char *strpbrk(const char *s, const char *set)
{
    for (; *s != 0; s++)
        for (const char *c = set; *c != 0; c++)
            if (*s == *c)
                return (char *)s;
    return 0;
}
