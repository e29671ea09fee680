// RULES: uninit-read
// What is allocated is set up before anybody reads it, or not.
#include <stdlib.h>
#include <string.h>

struct node {
    int kind;
    int size;
    struct node *next;
};

static struct node *shared;
int __VERIFIER_nondet_int(void);

static void *allocate(unsigned long size)
{
    void *made = malloc(size);
    if (!made)
        exit(1);
    return made;
}

static void fill(struct node *node, int kind)
{
    node->kind = kind;
    node->next = 0;
}

static struct node *whole(int kind)
{
    struct node *node = allocate(sizeof *node);
    fill(node, kind);
    node->size = 1;
    return node;
}

static struct node *part(int kind)
{
    struct node *node = allocate(sizeof *node);
    node->kind = kind;
    if (kind > 3)
        return node;
    node->size = 2;
    node->next = 0;
    return node;
}

static struct node *early(void)
{
    struct node *node = malloc(sizeof *node);
    shared = node;
    if (shared->size > 3) // BUG: uninit-read
        return 0;
    node->size = 1;
    return node;
}

static struct node *again(int count)
{
    struct node *node = 0, *last = 0;
    for (int i = 0; i < count; i++) {
        last = node;
        node = malloc(sizeof *node);
        if (i > 0)
            last->size = i;
    }
    return node;
}

int main(void)
{
    struct node *a = whole(__VERIFIER_nondet_int());
    if (a->kind > a->size) // SAFE: uninit-read
        return 1;
    struct node *b = part(5);
    if (b->size > 1) // BUG: uninit-read
        return 2;
    if (!early())
        return 3;
    struct node *c = again(2);
    if (c->size > 0) // BUG: uninit-read
        return 4;
    return 0;
}
