#include <stddef.h>
void *malloc(size_t size);

wchar_t *wcsdup(const wchar_t *s)
{
    size_t count = 0;
    while (s[count++] != 0)
        ;
    wchar_t *copy = malloc(count * sizeof(wchar_t));
    if (copy == NULL)
        return NULL;
    for (size_t i = 0; i < count; i++)
        copy[i] = s[i];
    return copy;
}
