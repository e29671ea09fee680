#include <stddef.h>

size_t strcspn(const char *s, const char *reject)
{
    size_t n = 0;
    for (; s[n] != '\0'; n++)
        for (size_t i = 0; reject[i] != '\0'; i++)
            if (reject[i] == s[n])
                return n;
    return n;
}
