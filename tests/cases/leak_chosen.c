// RULES: leak
// OPTIONS: --engine=proofs --timeout=3
// One of two blocks is freed, whichever it is.
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);

int main(void)
{
    char *a = malloc(8); // UNKNOWN: leak
    char *b = malloc(8); // UNKNOWN: leak
    char *last = a;
    while (__VERIFIER_nondet_int())
        last = last == a ? b : a;
    free(last);
    return 0;
}
