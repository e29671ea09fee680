// Memory that the library writes to after it was given it.
#include <stdio.h>
static int place;
int main(void) {
    FILE *file = fmemopen(&place, sizeof place, "w");
    place = 1;
    fputc(0, file);
    fflush(file);
    return 10 / place; // OPEN: div-by-zero
}
