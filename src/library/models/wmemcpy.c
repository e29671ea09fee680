#include <stddef.h>
void *memcpy(void *to, const void *from, size_t n);

wchar_t *wmemcpy(wchar_t *to, const wchar_t *from, size_t n)
{
    return memcpy(to, from, n * sizeof(wchar_t));
}
