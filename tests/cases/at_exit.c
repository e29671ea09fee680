#include <assert.h>
#include <stdlib.h>

static int n;
static void last(void) { assert(n == 0); } // UNKNOWN: assertion

int main(void) {
    atexit(last);
    n = 1;
    return 0;
}
