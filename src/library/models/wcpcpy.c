#include <stddef.h>

wchar_t *wcpcpy(wchar_t *restrict to, const wchar_t *restrict from)
{
    while ((*to = *from) != 0) {
        to++;
        from++;
    }
    return to;
}
