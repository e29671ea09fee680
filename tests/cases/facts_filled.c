// RULES: uninit-read
// A place that was set stays set as long as only what is set is written there: through other names, in callees,
// in later turns. What is new, what was only partly set, and what a copy brought from elsewhere is not.
#include <stdlib.h>
#include <string.h>
int __VERIFIER_nondet_int(void);
struct record { int kind; int count; char name[8]; struct record *next; };

static void count_up(struct record *record, int by) { record->count += by; }
static void copy(struct record *to, struct record *from) { to->count = from->count; }

static int kept(struct record *record, struct record *other)
{
    record->count = 3;
    count_up(other, 2);
    count_up(record, 2);
    if (record->count > 4) // SAFE: uninit-read
        return 1;
    return 0;
}

static int brought(struct record *record, struct record *other)
{
    record->count = 3;
    copy(record, other);
    if (record->count > 4) // BUG: uninit-read
        return 1;
    return 0;
}

static int another(void)
{
    struct record *record = malloc(sizeof *record);
    record->count = 1;
    record = malloc(sizeof *record);
    if (record->count > 4) // BUG: uninit-read
        return 1;
    return 0;
}

static int in_turns(void)
{
    int sum = 0;
    for (int i = 0; i < 2; i++) {
        struct record *record = malloc(sizeof *record);
        if (i == 0)
            record->count = 1;
        if (record->count > 4) // BUG: uninit-read
            sum++;
    }
    return sum;
}

static int equal(struct record *record)
{
    if (record->kind == 7) { // BUG: uninit-read
        count_up(record, 0);
        if (record->kind > 3) // SAFE: uninit-read
            return 1;
    }
    return 0;
}

static int partly(struct record *record)
{
    memset(&record->count, 0, 2);
    if (record->count < -2147483647 - 1) // SAFE: uninit-read
        return 1;
    if (record->count > 4) // BUG: uninit-read
        return 1;
    return 0;
}

static int all_zero(void)
{
    struct record *record = calloc(1, sizeof *record);
    count_up(record, 4);
    if (record->count > 3 && record->name[__VERIFIER_nondet_int() & 7]) // SAFE: uninit-read
        return 1;
    return 0;
}

static int scope(int first)
{
    int sum = 0;
    for (int i = 0; i < 2; i++) {
        int local[2];
        int *at = local;
        if (i == 0)
            at[0] = at[1] = first;
        if (at[1] > 0) // BUG: uninit-read
            sum++;
    }
    return sum;
}

int main(void)
{
    struct record *record = malloc(sizeof *record), *other = malloc(sizeof *other);
    switch (__VERIFIER_nondet_int()) {
    case 0:
        other->count = 5;
        return kept(record, other);
    case 1:
        return brought(record, other);
    case 2:
        return another();
    case 3:
        return in_turns();
    case 4:
        return equal(record);
    case 5:
        return partly(record);
    case 6:
        return all_zero();
    default:
        return scope(3);
    }
}
