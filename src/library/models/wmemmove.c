#include <stddef.h>
void *memmove(void *to, const void *from, size_t n);

wchar_t *wmemmove(wchar_t *to, const wchar_t *from, size_t n)
{
    return memmove(to, from, n * sizeof(wchar_t));
}
