// RULES: out-of-bounds,assertion,div-by-zero,null-deref
#include <assert.h>
#include <stddef.h>

// Other functions of the library may have run before: variables hold anything that they may have written.

static int mode;
static int limit = 8;
static int never_written = 7;
static const int table[4] = {1, 2, 3, 4};
static int *cache;
int visible = 1;

void set_mode(int m) { mode = m & 3; }
void set_limit(int n) { limit = n; }
void set_cache(int *p) { cache = p; }

int fixed(void) {
    assert(never_written == 7); // SAFE: assertion
    return table[never_written - 4]; // SAFE: out-of-bounds
}

// It holds, but nobody has proved what all functions keep true.
int by_mode(void) {
    return table[mode]; // UNKNOWN: out-of-bounds
}

int first_run_only(void) {
    assert(mode == 0); // UNKNOWN: assertion
    return 0;
}

int configured(void) {
    assert(limit == 8); // UNKNOWN: assertion
    return 0;
}

int from_outside(void) {
    assert(visible == 1); // UNKNOWN: assertion
    return 0;
}

int cached(void) {
    if (!cache) return 0;
    return *cache; // SAFE: null-deref
}

// What does not depend on them is found.
int wrong_anyway(int x) {
    mode++;
    return 10 / x; // BUG: div-by-zero
}

int set_and_used(void) {
    mode = 2;
    assert(mode == 2); // SAFE: assertion
    return table[mode]; // SAFE: out-of-bounds
}
