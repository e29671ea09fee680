// RULES: null-deref
// A member far into a struct that is not there.
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);

struct buffer {
    char data[4096];
    size_t used;
};

static struct buffer *find(int key)
{
    return key == 3 ? NULL : calloc(1, sizeof(struct buffer));
}

int main(void)
{
    struct buffer *b = find(__VERIFIER_nondet_int());
    b->used = 0; // BUG: null-deref
    free(b);
    return 0;
}
