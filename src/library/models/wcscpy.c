#include <stddef.h>

wchar_t *wcscpy(wchar_t *to, const wchar_t *from)
{
    size_t i = 0;
    while ((to[i] = from[i]) != 0)
        i++;
    return to;
}
