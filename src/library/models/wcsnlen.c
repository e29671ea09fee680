#include <stddef.h>

size_t wcsnlen(const wchar_t *s, size_t n)
{
    size_t i = 0;
    while (i < n && s[i] != 0)
        i++;
    return i;
}
