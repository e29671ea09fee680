#include <stddef.h>
char __VERIFIER_nondet_char(void);
_Bool __VERIFIER_nondet_bool(void);
void __cegas_assume_later(int holds);

/* A line may hold zeros; behind a newline comes the end, and what was there before stays. */
char *fgets(char *s, int size, void *stream)
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
    char last = 0;
    for (int i = 0; i < size - 1; i++) {
        char c = __VERIFIER_nondet_char();
        if (i > 0)
            __cegas_assume_later((last != '\n') | (c == 0));
        s[i] = c;
        last = c;
    }
    s[size - 1] = 0;
    return s;
}
