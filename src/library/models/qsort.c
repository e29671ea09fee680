#include <stddef.h>

/* Insertion sort, element by element. */
void qsort(void *base, size_t count, size_t size, int (*compare)(const void *, const void *))
{
    char *bytes = base;
    for (size_t i = 1; i < count; i++)
        for (size_t j = i; j > 0; j--) {
            char *a = bytes + (j - 1) * size, *b = bytes + j * size;
            if (compare(a, b) <= 0)
                break;
            for (size_t k = 0; k < size; k++) {
                char c = a[k];
                a[k] = b[k];
                b[k] = c;
            }
        }
}
