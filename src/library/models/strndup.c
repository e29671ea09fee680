#include <stddef.h>
void *malloc(size_t size);

char *strndup(const char *s, size_t n)
{
    size_t length = 0;
    while (length < n && s[length] != 0)
        length++;
    char *copy = malloc(length + 1);
    if (copy == NULL)
        return NULL;
    for (size_t i = 0; i < length; i++)
        copy[i] = s[i];
    copy[length] = 0;
    return copy;
}
