#include <stddef.h>
char *strpbrk(const char *s, const char *accept);

char *strsep(char **restrict text, const char *restrict between)
{
    char *start = *text;
    if (start == NULL)
        return NULL;
    char *end = strpbrk(start, between);
    if (end != NULL)
        *end++ = '\0';
    *text = end;
    return start;
}
