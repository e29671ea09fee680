// RULES: double-free,invalid-free,use-after-free
// What a function without a body gives back may be what it was given before.
#include <stdio.h>
#include <stdlib.h>

void keep(char *);
char *kept(void);

int main(void)
{
    char *p = malloc(4);
    p[0] = 0;
    keep(p);
    free(p); // UNKNOWN: double-free
    puts(kept()); // UNKNOWN: use-after-free
    free(kept()); // UNKNOWN: double-free // UNKNOWN: invalid-free
    return 0;
}
