#include <stddef.h>

wchar_t *wcscat(wchar_t *to, const wchar_t *from)
{
    size_t end = 0, i = 0;
    while (to[end] != 0)
        end++;
    while ((to[end + i] = from[i]) != 0)
        i++;
    return to;
}
