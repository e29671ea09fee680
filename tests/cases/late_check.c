// RULES: null-deref
// Compared with null after it was used: no error while allocations succeed, and nothing to call safe.
#include <stdlib.h>

int main(void)
{
    int *early = malloc(sizeof *early);
    if (early == NULL)
        return 1;
    *early = 1;
    int *late = malloc(sizeof *late);
    *late = 2; // SAFE: null-deref
    if (late != NULL) // UNKNOWN: null-deref
        *late = 3;
    free(early);
    free(late);
    return 0;
}
