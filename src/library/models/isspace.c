#include "sign.h"

int isspace(int c)
{
    return (c == ' ' || (c >= '\t' && c <= '\r')) ? positive() : 0;
}
