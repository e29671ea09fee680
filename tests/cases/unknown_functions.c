// RULES: assertion,null-deref
// A function that nobody knows is taken to come back where every execution calls it. What it was given may change
// now and at the next such call, and whatever depends on that is in doubt.
#include <stdlib.h>
int __VERIFIER_nondet_int(void);
void __VERIFIER_assert(int);
void look_at(void *);
void watch(int *);
int tell(void *);
extern int level;

static int kept_apart;

int main(void) {
    int watched = 3;
    int *nothing = NULL;
    watch(&watched);
    watched = 4;
    __VERIFIER_assert(watched == 4); // SAFE: assertion
    look_at(nothing);
    __VERIFIER_assert(watched == 4); // UNKNOWN: assertion
    __VERIFIER_assert(kept_apart == 0); // SAFE: assertion
    level = 1;
    if (tell(nothing) == 5)
        *nothing = 1; // UNKNOWN: null-deref
    if (level != 1)
        *nothing = 2; // UNKNOWN: null-deref
    if (__VERIFIER_nondet_int() == 3) {
        look_at(nothing);
        *nothing = 3; // UNKNOWN: null-deref
    }
    return 0;
}
