// RULES: out-of-bounds
// Memory of an arbitrary size in which nobody wrote but at the end: no path can be followed element by element, so
// every one is left at once, and there is time for a proof all the same.
#include <stdlib.h>

extern unsigned __VERIFIER_nondet_uint(void);

static void copy(char *to, const char *from) {
    while ((*to++ = *from++)) // SAFE: out-of-bounds
        ;
}

int main(void) {
    unsigned room = __VERIFIER_nondet_uint(), size = __VERIFIER_nondet_uint();
    if (size < 1 || room < size || room > 10000)
        return 0;
    char *to = malloc(room), *from = malloc(size);
    from[size - 1] = 0; // SAFE: out-of-bounds
    copy(to, from);
    free(to);
    free(from);
    return 0;
}
