#include <stddef.h>

void *memmem(const void *text, size_t size, const void *word, size_t length)
{
    const unsigned char *x = text, *y = word;
    for (size_t at = 0; length <= size && at <= size - length; at++) {
        size_t i = 0;
        while (i < length && x[at + i] == y[i])
            i++;
        if (i == length)
            return (void *)(x + at);
    }
    return NULL;
}
