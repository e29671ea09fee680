#include <stddef.h>
CHARACTER ANY(void);
_Bool __VERIFIER_nondet_bool(void);
void __cegas_assume_later(int holds);

/* The function NAME. A line may hold zeros; behind a newline comes the end, and what was there before stays. */
CHARACTER *NAME(CHARACTER *s, int size, void *stream)
{
    if (size < 1)
        return NULL;
    /* Nothing is read then, and the end of the input not noticed. */
    if (size == 1) {
        s[0] = 0;
        return s;
    }
    if (__VERIFIER_nondet_bool())
        return NULL;
    CHARACTER last = 0;
    for (int i = 0; i < size - 1; i++) {
        CHARACTER c = ANY();
        if (i > 0)
            __cegas_assume_later((last != '\n') | (c == 0));
        s[i] = c;
        last = c;
    }
    s[size - 1] = 0;
    return s;
}
