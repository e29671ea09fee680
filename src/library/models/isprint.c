#include "sign.h"

int isprint(int c)
{
    return (c >= ' ' && c <= '~') ? positive() : 0;
}
