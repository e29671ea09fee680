#include <stddef.h>

char *strcat(char *restrict to, const char *restrict from)
{
    size_t end = 0, i = 0;
    while (to[end] != '\0')
        end++;
    do
        to[end + i] = from[i];
    while (from[i++] != '\0');
    return to;
}
