#include "sign.h"
#include <stddef.h>

int wmemcmp(const wchar_t *a, const wchar_t *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (a[i] != b[i])
            return a[i] < b[i] ? negative() : positive();
    return 0;
}
