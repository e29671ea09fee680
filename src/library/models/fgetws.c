#include <stddef.h>
wchar_t __VERIFIER_nondet_int(void);
_Bool __VERIFIER_nondet_bool(void);
void __cegas_assume_later(int holds);

wchar_t *fgetws(wchar_t *s, int size, void *stream)
{
    if (size < 1)
        return NULL;
    if (size == 1) {
        s[0] = 0;
        return s;
    }
    if (__VERIFIER_nondet_bool())
        return NULL;
    wchar_t last = 0;
    for (int i = 0; i < size - 1; i++) {
        wchar_t c = __VERIFIER_nondet_int();
        if (i > 0)
            __cegas_assume_later((last != '\n') | (c == 0));
        s[i] = c;
        last = c;
    }
    s[size - 1] = 0;
    return s;
}
