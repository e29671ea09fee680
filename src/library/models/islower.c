#include "sign.h"

int islower(int c)
{
    return (c >= 'a' && c <= 'z') ? positive() : 0;
}
