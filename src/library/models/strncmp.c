#include "sign.h"
#include <stddef.h>

int strncmp(const char *a, const char *b, size_t n)
{
    const unsigned char *x = (const unsigned char *)a;
    const unsigned char *y = (const unsigned char *)b;
    for (size_t i = 0; i < n; i++) {
        if (x[i] != y[i])
            return x[i] < y[i] ? negative() : positive();
        if (x[i] == 0)
            return 0;
    }
    return 0;
}
