#include <stddef.h>

void *memchr(const void *s, int c, size_t n)
{
    const unsigned char *x = s;
    for (size_t i = 0; i < n; i++)
        if (x[i] == (unsigned char)c)
            return (void *)(x + i);
    return NULL;
}
