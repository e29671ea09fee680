#include <stddef.h>

void *memccpy(void *restrict to, const void *restrict from, int c, size_t n)
{
    unsigned char *x = to;
    const unsigned char *y = from;
    for (size_t i = 0; i < n; i++) {
        x[i] = y[i];
        if (y[i] == (unsigned char)c)
            return x + i + 1;
    }
    return NULL;
}
