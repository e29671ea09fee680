#include <stddef.h>

wchar_t *wcsncat(wchar_t *to, const wchar_t *from, size_t n)
{
    size_t end = 0, i = 0;
    while (to[end] != 0)
        end++;
    for (; i < n && from[i] != 0; i++)
        to[end + i] = from[i];
    to[end + i] = 0;
    return to;
}
