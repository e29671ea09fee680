// RULES: null-deref
// An index into the arguments that an input decides: some of them are followed, the others are not known.
#include <string.h>

int __VERIFIER_nondet_int(void);

int main(int argc, char **argv) {
    int skip = __VERIFIER_nondet_int();
    if (skip < 0 || skip > argc)
        return 0;
    char *last = argv[skip]; // UNKNOWN: null-deref
    if (last[0] == 'x') // BUG: null-deref
        return 1;
    int chosen = __VERIFIER_nondet_int();
    if (chosen < 0 || chosen >= argc)
        return 0;
    if (argv[chosen][0] == 'y') // UNKNOWN: null-deref
        return 2;
    return 0;
}
