#include <stddef.h>

char *stpncpy(char *restrict to, const char *restrict from, size_t n)
{
    size_t i = 0;
    for (; i < n && from[i] != '\0'; i++)
        to[i] = from[i];
    char *end = to + i;
    for (; i < n; i++)
        to[i] = '\0';
    return end;
}
