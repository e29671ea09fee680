char *strchr(const char *s, int c);

char *index(const char *s, int c)
{
    return strchr(s, c);
}
