// RULES: use-after-free
// Pointers that are copied byte by byte, by indices that are narrower than a pointer.
#include <stdlib.h>
struct box { long size; int *content; };
static unsigned char store[64];

static struct box made(void) {
    struct box box = {1, malloc(sizeof(int))};
    *box.content = 0;
    return box;
}

static void upward(void *to, const void *from, int n) {
    char *d = to;
    const char *s = from;
    for (int i = 0; i < n; i++)
        d[i] = s[i];
}

static void downward(void *to, const void *from, unsigned n) {
    while (n-- > 0)
        ((char *)to)[n] = ((const char *)from)[n];
}

static void put(int at, const void *from, int n) {
    for (int i = 0; i < n; i++)
        store[at + i] = ((const unsigned char *)from)[i];
}

static void get(void *to, int at, int n) {
    for (int i = 0; i < n; i++)
        ((unsigned char *)to)[i] = store[at + i];
}

static int first(void) {
    struct box a = made(), b;
    upward(&b, &a, sizeof a);
    free(b.content);
    return *a.content; // BUG: use-after-free
}

static int second(void) {
    struct box a = made(), b;
    downward(&b, &a, sizeof a);
    free(b.content);
    return *a.content; // BUG: use-after-free
}

static int third(void) {
    struct box a = made(), b;
    put(8, &a, sizeof a);
    get(&b, 8, sizeof b);
    free(b.content);
    return *a.content; // BUG: use-after-free
}

static int fourth(void) {
    struct box a = made(), b;
    for (int i = 0, j = 16; i < (int)sizeof a; i++, j++)
        store[j] = ((unsigned char *)&a)[i];
    unsigned char *d = (unsigned char *)&b;
    for (unsigned k = 16; k < 16 + sizeof b; k++)
        *d++ = store[k];
    free(b.content);
    return *a.content; // BUG: use-after-free
}

int main(int argc, char **argv) {
    switch (argc) {
    case 1: return first();
    case 2: return second();
    case 3: return third();
    default: return fourth();
    }
}
