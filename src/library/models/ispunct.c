#include "sign.h"

int ispunct(int c)
{
    return (c > ' ' && c <= '~' && !((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'))) ? positive() : 0;
}
