// RULES: assertion,double-free,invalid-free,leak
// What `free` is given may be an address that nobody knows, or one that was moved away and back: the execution goes on.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assert(int);
char *read_line(void);

static void lines(void)
{
    int lines = 0;
    for (;;) {
        char *line = read_line();
        if (!line)
            break;
        lines++;
        free(line); // UNKNOWN: double-free // UNKNOWN: invalid-free
    }
    __VERIFIER_assert(lines == 0); // UNKNOWN: assertion
}

static void moved(void)
{
    char *whole = malloc(8), *at = whole;
    int moved = 0;
    while (__VERIFIER_nondet_int() && at < whole + 7) {
        at++;
        moved++;
    }
    while (moved > 0) {
        at--;
        moved--;
    }
    free(at);
    __VERIFIER_assert(moved != 0); // BUG: assertion
}

static void number(void)
{
    int number = __VERIFIER_nondet_int();
    if (number == 0) {
        free((void *)(long)number);
        __VERIFIER_assert(number != 0); // BUG: assertion
    }
}

int main(void)
{
    switch (__VERIFIER_nondet_int()) {
    case 0:
        moved();
        break;
    case 1:
        number();
        break;
    default:
        lines();
    }
    return 0;
}
