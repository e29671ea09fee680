// RULES: null-deref
// Functions that nobody knows change nothing that matters here, and every execution calls them.
#include <stdlib.h>
#include <string.h>
void look_at(void *);

int main(void) {
    char *target = NULL;
    char *lost = malloc(8);
    strcpy(lost, "text");
    look_at(lost);
    if (lost) {
        look_at(target);
        strcpy(target, "text"); // BUG: null-deref
    }
    return 0;
}
