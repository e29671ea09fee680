// RULES: leak
// Memory that functions of the library leave to the caller: lost like any other, or not followed.
// FLAGS: -D_GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

extern int __VERIFIER_nondet_int(void);

static void aligned(void) {
    void *block;
    if (posix_memalign(&block, 16, 10) == 0) // BUG: leak
        block = NULL;
}

static void aligned_and_freed(void) {
    void *block;
    if (posix_memalign(&block, 16, 10) == 0) // SAFE: leak
        free(block);
}

static void place(void) {
    char room[4096];
    if (getcwd(room, sizeof room)) // SAFE: leak
        putchar(room[0]);
}

static void line(void) {
    char *text = NULL;
    size_t size = 0;
    if (getline(&text, &size, stdin) > 0) // UNKNOWN: leak
        text = NULL;
}

int main(void) {
    switch (__VERIFIER_nondet_int()) {
    case 0:
        aligned();
        break;
    case 1:
        aligned_and_freed();
        break;
    case 2:
        place();
        break;
    default:
        line();
    }
    return 0;
}
