#include <stddef.h>
unsigned long __VERIFIER_nondet_ulong(void);
char __VERIFIER_nondet_char(void);
void __VERIFIER_assume(int holds);

size_t fread(void *buffer, size_t size, size_t count, void *stream)
{
    char *bytes = buffer;
    if (size == 0)
        return 0;
    size_t done = __VERIFIER_nondet_ulong();
    __VERIFIER_assume(done <= count);
    for (size_t i = 0; i < done; i++)
        for (size_t j = 0; j < size; j++)
            bytes[i * size + j] = __VERIFIER_nondet_char();
    /* The last one may have been read in part. */
    if (done < count && size > 1) {
        size_t part = __VERIFIER_nondet_ulong();
        __VERIFIER_assume(part < size);
        for (size_t j = 0; j < part; j++)
            bytes[done * size + j] = __VERIFIER_nondet_char();
    }
    return done;
}
