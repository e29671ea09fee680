// RULES: leak
// What is lost, what is kept, and what nobody can say.
#include <stdlib.h>
#include <string.h>
int __VERIFIER_nondet_int(void);
static char *kept;
struct tree { struct tree *left, *right; };

static struct tree *leaf(void)
{
    return calloc(1, sizeof(struct tree)); // SAFE: leak
}

int main(void)
{
    int n = __VERIFIER_nondet_int();
    char *freed = malloc(3); // SAFE: leak
    free(freed);
    if (n == 1) {
        char *lost = malloc(4); // BUG: leak
        lost[0] = 1;
    }
    if (n == 2)
        kept = malloc(5); // UNKNOWN: leak
    if (n == 3) {
        char *copy = strdup("copy"); // BUG: leak
        copy = NULL;
    }
    if (n == 4) {
        struct tree *root = leaf();
        root->left = leaf();
        free(root->left);
        free(root);
    }
    if (n == 5) {
        char *held = malloc(6); // SAFE: leak
        held[0] = 1;
        free(held);
        exit(1);
    }
    if (n == 6) {
        char *grown = malloc(7); // UNKNOWN: leak
        grown = realloc(grown, 70); // SAFE: leak
        free(grown);
    }
    return 0;
}
