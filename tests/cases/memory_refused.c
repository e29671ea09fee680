// RULES: null-deref,leak
// OPTIONS: --malloc-may-fail
// Allocations that may be refused.
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    char *checked = malloc(4);
    if (checked == NULL)
        return 1;
    checked[0] = 1; // SAFE: null-deref
    char *unchecked = malloc(4);
    unchecked[0] = 1; // BUG: null-deref
    free(unchecked);
    FILE *file = fopen(argv[0], "r");
    if (argc > 1)
        fclose(file); // BUG: null-deref
    free(checked);
    return 0;
}
