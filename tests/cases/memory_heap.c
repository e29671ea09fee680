// RULES: out-of-bounds,use-after-free,null-deref,double-free,invalid-free
// Blocks of memory: their ends, their lives, what may be freed.
#include <stdlib.h>
#include <string.h>
int __VERIFIER_nondet_int(void);
struct item { struct item *next; int key; };

static struct item *push(struct item *head, int key)
{
    struct item *item = malloc(sizeof *item);
    item->next = head;
    item->key = key;
    return item;
}

static void drop(struct item *head)
{
    while (head) {
        struct item *next = head->next;
        free(head); // SAFE: double-free
        head = next;
    }
}

static void drop_carelessly(struct item *head)
{
    for (; head; head = head->next) // BUG: use-after-free
        free(head);
}

int main(void)
{
    int n = __VERIFIER_nondet_int();
    char *block = malloc(10);
    struct item *list = push(push(NULL, 1), 2);
    if (n >= 0 && n < 10)
        block[n] = 0; // SAFE: out-of-bounds
    if (n >= 0 && n <= 10 && list->key == 2)
        memset(block, 1, n); // SAFE: out-of-bounds
    if (n == 11)
        memset(block, 1, n); // BUG: out-of-bounds
    if (n == 12)
        block[-1] = 0; // BUG: out-of-bounds
    if (n == 13) {
        free(block + 1); // BUG: invalid-free
        return 1;
    }
    if (n == 14) {
        char local[3];
        free(local); // BUG: invalid-free
        return 1;
    }
    if (n == 15) {
        drop_carelessly(list);
        return 1;
    }
    if (n == 16)
        list->next->next->key = 1; // BUG: null-deref
    if (n == 17) {
        block = realloc(block, 20);
        block[19] = 1; // SAFE: out-of-bounds
    }
    char *other = n == 18 ? block : NULL;
    free(other); // SAFE: invalid-free
    free(block); // BUG: double-free
    free(NULL);
    drop(list);
    return 0;
}
