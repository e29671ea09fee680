// RULES: null-deref,unreachable
// Behind a call that does not come back nothing happens; a function that is only declared so may come back, and so
// may one that ends the program on some ways only.
#include <stdio.h>
#include <stdlib.h>
int __VERIFIER_nondet_int(void);

static void die(const char *why)
{
    fprintf(stderr, "%s\n", why);
    exit(1);
}

static void die_perhaps(int code)
{
    if (code > 3)
        exit(1);
}

__attribute__((noreturn)) static void promised(int code)
{
    if (code > 3)
        exit(1);
} // BUG: unreachable

static int sure(int *pointer)
{
    if (!pointer)
        die("no pointer");
    return *pointer; // SAFE: null-deref
}

static int unsure(int *pointer)
{
    if (!pointer)
        die_perhaps(__VERIFIER_nondet_int());
    return *pointer; // BUG: null-deref
}

static int round_about(int *pointer, int depth)
{
    if (depth > 0)
        return round_about(pointer, depth - 1);
    if (!pointer)
        exit(2);
    return *pointer; // SAFE: null-deref
}

int main(void)
{
    int number = 3;
    int *pointer = __VERIFIER_nondet_int() ? &number : 0;
    switch (__VERIFIER_nondet_int()) {
    case 0:
        return sure(pointer);
    case 1:
        return unsure(pointer);
    case 2:
        return round_about(pointer, 2);
    default:
        promised(__VERIFIER_nondet_int());
    }
}
