#include "sign.h"
/* In the C locale. */
static int lower(int c)
{
    return c >= 'A' && c <= 'Z' ? c + 32 : c;
}

int strcasecmp(const char *a, const char *b)
{
    for (;; a++, b++) {
        int x = lower(*(const unsigned char *)a), y = lower(*(const unsigned char *)b);
        if (x != y)
            return x < y ? negative() : positive();
        if (x == 0)
            return 0;
    }
}
