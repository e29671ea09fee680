// RULES: out-of-bounds,use-after-free,leak
// What `realloc` makes of sizes that an input decides.
#include <stdlib.h>

int __VERIFIER_nondet_int(void);

static void grows(void) {
    int n = __VERIFIER_nondet_int();
    if (n < 4 || n > 100000)
        return;
    int *numbers = malloc(4 * sizeof *numbers); // SAFE: leak
    numbers[3] = 7;
    numbers = realloc(numbers, n * sizeof *numbers); // SAFE: leak
    numbers[3] += 1; // SAFE: out-of-bounds
    numbers[n] = 1; // BUG: out-of-bounds
    free(numbers);
}

static void shrinks(void) {
    int n = __VERIFIER_nondet_int();
    if (n < 1 || n > 4)
        return;
    int *numbers = malloc(4 * sizeof *numbers);
    int *fewer = realloc(numbers, n * sizeof *numbers); // SAFE: leak
    if (!fewer) {
        free(numbers);
        return;
    }
    fewer[3] = 1; // BUG: out-of-bounds
    free(fewer);
}

static void moves(void) {
    int n = __VERIFIER_nondet_int();
    if (n < 1 || n > 1000)
        return;
    char *old = malloc(8); // UNKNOWN: leak
    char *new = realloc(old, n);
    if (new)
        old[0] = 1; // BUG: use-after-free
    free(new);
}

static void forgets(void) {
    int n = __VERIFIER_nondet_int();
    if (n < 8 || n > 16)
        return;
    char **texts = malloc(16); // UNKNOWN: leak
    texts[0] = NULL;
    texts[1] = malloc(4); // UNKNOWN: leak
    char **fewer = realloc(texts, n); // UNKNOWN: leak
    free(fewer);
}

int main(void) {
    switch (__VERIFIER_nondet_int()) {
    case 0: grows(); break;
    case 1: shrinks(); break;
    case 2: moves(); break;
    default: forgets();
    }
    return 0;
}
