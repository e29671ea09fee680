#include "sign.h"

int strcmp(const char *a, const char *b)
{
    const unsigned char *x = (const unsigned char *)a;
    const unsigned char *y = (const unsigned char *)b;
    while (*x != 0 && *x == *y) {
        x++;
        y++;
    }
    if (*x == *y)
        return 0;
    return *x < *y ? negative() : positive();
}
