// RULES: leak
// OPTIONS: --engine=proofs --timeout=3
// Lost before a loop that never ends: there is no end at which to look.
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);

int main(void)
{
    char *kept = malloc(8); // UNKNOWN: leak
    char *lost = malloc(8); // UNKNOWN: leak
    kept[0] = 0;
    lost = kept;
    for (;;) {
        if (__VERIFIER_nondet_int() > 0)
            lost[0] ^= 1;
    }
}
