#include "sign.h"
#include <stddef.h>

int wcscmp(const wchar_t *a, const wchar_t *b)
{
    size_t i = 0;
    while (a[i] != 0 && a[i] == b[i])
        i++;
    if (a[i] == b[i])
        return 0;
    return a[i] < b[i] ? negative() : positive();
}
