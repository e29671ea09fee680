#include <stddef.h>

char *strstr(const char *text, const char *word)
{
    /* Both are read to their ends. */
    const char *end = word;
    while (*end != '\0')
        end++;
    for (;; text++) {
        size_t i = 0;
        while (word[i] != '\0' && text[i] == word[i])
            i++;
        if (word[i] == '\0')
            return (char *)text;
        if (*text == '\0')
            return NULL;
    }
}
