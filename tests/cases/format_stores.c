// RULES: div-by-zero
// A format may have `printf` and its like store a number.
#include <stdio.h>

int __VERIFIER_nondet_int(void);

int main(int argc, char **argv)
{
    int n = __VERIFIER_nondet_int(), k = 1;
    char text[8];
    (void)argc;
    if (n == 1) {
        printf("%d", k);
        return 7 / k; // SAFE: div-by-zero
    }
    if (n == 2) {
        printf("%n", &k);
        return 7 / k; // UNKNOWN: div-by-zero
    }
    if (n == 3) {
        snprintf(text, sizeof text, "%n", &k);
        return 7 / k; // UNKNOWN: div-by-zero
    }
    if (n == 4) {
        fprintf(stdout, argv[0], &k);
        return 7 / k; // UNKNOWN: div-by-zero
    }
    return 0;
}
