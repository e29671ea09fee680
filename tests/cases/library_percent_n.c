// What `printf` writes is not modelled.
#include <stdio.h>

extern void __VERIFIER_assert(int);

int main(void) {
    int before = 0;
    printf("abc%n", &before);
    __VERIFIER_assert(before == 0); // UNKNOWN: assertion
    return 0;
}
