#include "sign.h"

int isdigit(int c)
{
    return (c >= '0' && c <= '9') ? positive() : 0;
}
