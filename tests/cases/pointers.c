#include <assert.h>

static int table[4] = {1, 2, 3, 4};
static int *const ends[2] = {table, table + 4};
static int **middle = (int **)&ends[1];

int main(void) {
    int *p = table, *end = table + 4;
    assert(p < end && end - p == 4); // SAFE: assertion
    assert(&p[4] == end && *(end - 1) == 4); // SAFE: assertion
    assert(ends[1] == end && *middle == end); // SAFE: assertion
    int n = 0;
    for (; p != end; p++) n += *p;
    assert(n == 10 && p >= end); // SAFE: assertion
    int other;
    int *o = &other;
    assert(o != p - 4); // SAFE: assertion
    assert(o != 0); // SAFE: assertion
    int **q = &p;
    *q = table + 1;
    assert(*p == 2); // SAFE: assertion
    assert(**q == 3); // BUG: assertion
    return 0;
}
