// A write to a literal stops most machines, so what is found behind it may never happen.
#include <string.h>

extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assert(int);

static char plain[] = "abc";

int main(void) {
    char *text = plain;
    switch (__VERIFIER_nondet_int()) {
    case 0:
        text[0] = 'x';
        __VERIFIER_assert(plain[0] == 'a'); // BUG: assertion
        break;
    case 1:
        text = "abc";
        text[0] = 'x';
        __VERIFIER_assert(text[0] == 'a'); // UNKNOWN: assertion
        break;
    default:
        text = "def";
        memset(text, 0, 2);
        __VERIFIER_assert(text[1] == 'e'); // UNKNOWN: assertion
    }
    return 0;
}
