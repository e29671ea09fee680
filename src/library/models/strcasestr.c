#include <stddef.h>
/* In the C locale. */
static int lower(int c)
{
    return c >= 'A' && c <= 'Z' ? c + 32 : c;
}

char *strcasestr(const char *text, const char *word)
{
    for (;; text++) {
        size_t i = 0;
        while (word[i] != '\0' && lower(text[i]) == lower(word[i]))
            i++;
        if (word[i] == '\0')
            return (char *)text;
        if (*text == '\0')
            return NULL;
    }
}
