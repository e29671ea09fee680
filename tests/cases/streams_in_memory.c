// RULES: div-by-zero
// What a stream into memory writes is there when it is flushed, not when it is opened.
#include <stdio.h>

static int place;

int main(void) {
    FILE *file = fmemopen(&place, sizeof place, "w");
    place = 1;
    fputc(0, file);
    fflush(file);
    return 10 / place; // UNKNOWN: div-by-zero
}
