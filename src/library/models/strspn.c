#include <stddef.h>

size_t strspn(const char *s, const char *accept)
{
    size_t n = 0;
    for (; s[n] != '\0'; n++) {
        size_t i = 0;
        while (accept[i] != '\0' && accept[i] != s[n])
            i++;
        if (accept[i] == '\0')
            return n;
    }
    return n;
}
