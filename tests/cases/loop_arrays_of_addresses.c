// OPTIONS: --engine proofs
// Addresses in arrays of which one element is followed: what another element leads to is changed by who is given it.
// Each function is entered on its own.
#include <string.h>

extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assert(int);
void change(int **);
void change_one(int *);

static int in_table;
static int *table[900] = {&in_table, &in_table};

static unsigned below(unsigned count)
{
    return (unsigned)__VERIFIER_nondet_int() % count;
}

void shifted(void)
{
    int *from[8] = {0}, *to[8] = {0}, x = 0;
    while (__VERIFIER_nondet_int()) {
        unsigned at = below(8);
        from[at] = &x;
        to[at] = 0;
    }
    memcpy(to, from + 1, 7 * sizeof *to);
    change(to);
    __VERIFIER_assert(x == 0); // UNKNOWN: assertion
}

void beside(void)
{
    struct {
        int *all[8];
        int *last;
    } s = {{0}, 0};
    int x = 0, y = 0, **any = (int **)&s;
    while (__VERIFIER_nondet_int())
        s.all[below(8)] = &y;
    any[below(9)] = &x;
    change(any);
    __VERIFIER_assert(x == 0); // UNKNOWN: assertion
}

struct numbers {
    long all[8];
    int *last;
};

void read_from_either(void)
{
    struct numbers s = {{0}, 0};
    int x = 0;
    void **any = (void **)&s;
    s.last = &x;
    while (__VERIFIER_nondet_int())
        s.all[below(8)] = 0;
    int *one = any[below(9)];
    if (one)
        change_one(one);
    __VERIFIER_assert(x == 0); // UNKNOWN: assertion
}

void left_by_either(void)
{
    struct numbers s = {{0}, 0};
    int x = 0;
    void **any = (void **)&s;
    s.last = &x;
    while (__VERIFIER_nondet_int())
        s.all[below(8)] = 0;
    any[below(9)] = 0;
    if (s.last)
        change_one(s.last);
    __VERIFIER_assert(x == 0); // UNKNOWN: assertion
}

void neighbours(void)
{
    int *all[8] = {0}, x = 0;
    while (__VERIFIER_nondet_int())
        all[below(8)] = &x;
    unsigned at = below(7);
    int *one = all[at], *other = all[at + 1];
    if (one && !other) {
        change_one(one);
        __VERIFIER_assert(x == 0); // UNKNOWN: assertion
    }
}

void initialised(void)
{
    unsigned at = 0;
    while (__VERIFIER_nondet_int())
        at = below(900);
    change_one(table[at]);
    __VERIFIER_assert(in_table == 0); // UNKNOWN: assertion
}
