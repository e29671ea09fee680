// RULES: leak
// A function that nobody knows may keep what it is given.
#include <stdlib.h>
void look_at(void *);

int main(void) {
    char *given = malloc(8); // UNKNOWN: leak
    char *lost = malloc(8);  // UNKNOWN: leak
    look_at(given);
    given = lost = NULL;
    return 0;
}
