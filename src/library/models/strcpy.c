#include <stddef.h>

char *strcpy(char *restrict to, const char *restrict from)
{
    size_t i = 0;
    do
        to[i] = from[i];
    while (from[i++] != '\0');
    return to;
}
