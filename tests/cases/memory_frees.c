// RULES: invalid-free,double-free
// What may be freed, where pointers come from variables, callers, callees and the heap.
#include <stdlib.h>
#include <string.h>

int __VERIFIER_nondet_int(void);

static char *kept;
static char *mixed;
static char buffer[8];

static void plain(void) {
    char *p = malloc(8);
    if (__VERIFIER_nondet_int())
        p[0] = 1;
    free(p); // SAFE: double-free // SAFE: invalid-free
}

static void moved(void) {
    char *p = malloc(8);
    if (__VERIFIER_nondet_int())
        p++;
    free(p); // BUG: invalid-free
}

static void unset(void) {
    char *p;
    if (__VERIFIER_nondet_int())
        p = malloc(8);
    free(p); // BUG: invalid-free
}

static void local(void) {
    char text[8], *p = malloc(8);
    char *q = __VERIFIER_nondet_int() ? text : p;
    free(q); // BUG: invalid-free
    if (q != p)
        free(p);
}

static void give_back(char *p) {
    free(p); // SAFE: invalid-free
}

static void give_back_any(char *p) {
    free(p); // BUG: invalid-free
}

static char *make(int n) {
    return n > 3 ? malloc(8) : NULL;
}

static void made(void) {
    char *p = make(__VERIFIER_nondet_int());
    free(p); // SAFE: double-free // SAFE: invalid-free
}

static void twice(void) {
    char *p = malloc(8), *q = p;
    if (__VERIFIER_nondet_int())
        free(q); // SAFE: double-free
    free(p); // BUG: double-free
}

static void by_another(void) {
    char *p = malloc(8);
    give_back(p);
    if (__VERIFIER_nondet_int())
        free(p); // BUG: double-free
}

static void in_a_loop(void) {
    char *p = malloc(8);
    for (int i = 0; i < 2; i++)
        free(p); // BUG: double-free
}

static void in_turn(void) {
    for (int i = 0; i < 3; i++) {
        char *p = malloc(8);
        free(p); // SAFE: double-free // SAFE: invalid-free
    }
}

static void resized(void) {
    char *p = malloc(8);
    char *q = realloc(p, 16); // SAFE: double-free // SAFE: invalid-free
    free(q); // SAFE: invalid-free
    if (__VERIFIER_nondet_int())
        free(p); // BUG: double-free
}

static void from_globals(void) {
    kept = malloc(4);
    mixed = __VERIFIER_nondet_int() ? malloc(4) : buffer;
    free(kept); // SAFE: invalid-free
    free(mixed); // BUG: invalid-free
}

int main(void) {
    switch (__VERIFIER_nondet_int()) {
    case 0: plain(); break;
    case 1: moved(); break;
    case 2: unset(); break;
    case 3: local(); break;
    case 4: give_back(malloc(3)); break;
    case 5: give_back_any(malloc(3)); break;
    case 6: give_back_any(buffer); break;
    case 7: made(); break;
    case 8: twice(); break;
    case 9: by_another(); break;
    case 10: in_a_loop(); break;
    case 11: in_turn(); break;
    case 12: resized(); break;
    default: from_globals();
    }
    return 0;
}
