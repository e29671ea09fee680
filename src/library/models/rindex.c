char *strrchr(const char *s, int c);

char *rindex(const char *s, int c)
{
    return strrchr(s, c);
}
