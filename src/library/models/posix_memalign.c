#include <stddef.h>
void *malloc(size_t size);

int posix_memalign(void **to, size_t alignment, size_t size)
{
    if (alignment == 0 || alignment % sizeof(void *) != 0 || (alignment & (alignment - 1)) != 0)
        return 22; // EINVAL
    void *memory = malloc(size);
    if (memory == NULL)
        return 12; // ENOMEM
    *to = memory;
    return 0;
}
