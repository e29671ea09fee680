// RULES: out-of-bounds,use-after-free,null-deref
// What was true of a pointer before is no longer true: it was freed under another name, left its scope, or was
// stored anew; and what a library function calls back gets other arguments than it was given.
#include <stdlib.h>
int __VERIFIER_nondet_int(void);
struct box { int *data; struct box *next; int count; };

static struct box *kept;

static void release(struct box *other)
{
    if (__VERIFIER_nondet_int())
        free(other);
}

static int *own(void)
{
    int local = 3;
    int *result = &local;
    *result = 4; // SAFE: use-after-free
    return result;
}

static int twice(struct box *box)
{
    int first = box->count; // SAFE: null-deref
    release(kept);
    return first + box->count; // BUG: use-after-free
}

static int stored_anew(struct box *box, struct box *alias)
{
    int sum = box->data[0]; // SAFE: null-deref
    alias->data = 0;
    return sum + box->data[0]; // BUG: null-deref
}

static int both_ways(struct box *box, int *numbers)
{
    int *at = __VERIFIER_nondet_int() ? numbers : box->data;
    at[3] = 1; // BUG: out-of-bounds
    return at[2]; // SAFE: out-of-bounds
}

int main(void)
{
    struct box *box = malloc(sizeof *box);
    int numbers[4] = {0}, fewer[3] = {0};
    box->data = numbers;
    box->next = 0;
    box->count = 1;
    kept = box;
    switch (__VERIFIER_nondet_int()) {
    case 0:
        return twice(box);
    case 1:
        return stored_anew(box, kept);
    case 2:
        return *own(); // BUG: use-after-free
    case 3:
        box->data = fewer;
        return both_ways(box, numbers);
    }
    return 0;
}
