#include "sign.h"

int isupper(int c)
{
    return (c >= 'A' && c <= 'Z') ? positive() : 0;
}
