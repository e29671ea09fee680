// RULES: leak
// OPTIONS: --engine=proofs --timeout=3
// A loop that never ends and keeps what it needs.
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);

int main(void)
{
    char *kept = malloc(8); // SAFE: leak
    kept[0] = 0;
    for (;;) {
        char *request = malloc(8); // SAFE: leak
        request[0] = (char)(__VERIFIER_nondet_int() & 1);
        kept[0] ^= request[0];
        free(request);
    }
}
