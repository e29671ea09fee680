#include <stddef.h>
void *malloc(size_t size);

char *strdup(const char *s)
{
    size_t size = 0;
    while (s[size++] != '\0')
        ;
    char *copy = malloc(size);
    if (copy == NULL)
        return NULL;
    for (size_t i = 0; i < size; i++)
        copy[i] = s[i];
    return copy;
}
