#define NAME next_word
static char *next_word(char *s, const char *set, char **rest);
#include "strtok_r.h"

char *strtok(char *s, const char *set)
{
    static char *rest;
    return next_word(s, set, &rest);
}
