#include <stddef.h>
long __VERIFIER_nondet_long(void);
char __VERIFIER_nondet_char(void);
void __VERIFIER_assume(int holds);

/* Any number of bytes up to `size`, or a failure. */
long read(int fd, void *buffer, size_t size)
{
    char *bytes = buffer;
    long count = __VERIFIER_nondet_long();
    __VERIFIER_assume((count >= -1) & (count <= (long)size));
    for (long i = 0; i < count; i++)
        bytes[i] = __VERIFIER_nondet_char();
    return count;
}
