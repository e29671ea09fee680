#include <assert.h>
#include <stdlib.h>

int main(void) {
    int *p = malloc(sizeof *p);
    *p = 3;
    int *q = p;
    assert(p == q); // SAFE: assertion
    free(p);
    p = 0;
    assert(p == 0); // SAFE: assertion
    int *fresh = malloc(sizeof *fresh);
    // Its address may be the freed one, or another.
    assert(fresh != q); // UNKNOWN: assertion
    return 0;
}
