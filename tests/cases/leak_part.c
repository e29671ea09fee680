// RULES: leak
// A number made of an address does not hold what lies there.
#include <stdint.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);

uintptr_t hash;

int main(void)
{
    char *p = malloc(8); // UNKNOWN: leak
    p[0] = 0;
    hash = (uintptr_t)p * 31 >> 7;
    p = NULL;
    exit(__VERIFIER_nondet_int() & 1);
}
