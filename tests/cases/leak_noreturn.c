// RULES: leak
// Lost before a function that does not come back, and before a trap. What a variable held is perhaps still known.
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
_Noreturn void stop(const char *why);

char *kept, *other;

int main(void)
{
    kept = malloc(8); // UNKNOWN: leak
    other = malloc(8); // UNKNOWN: leak
    kept[0] = other[0] = 1;
    int n = __VERIFIER_nondet_int();
    if (n == 1) {
        kept = other;
        stop("one");
    }
    if (n == 2) {
        other = kept;
        __builtin_trap();
    }
    free(kept);
    free(other);
    return 0;
}
