// RULES: null-deref
// OPTIONS: --engine=proofs --timeout=2
// Lists that lead to each other in a circle: not all of them can be empty.
extern unsigned __VERIFIER_nondet_uint(void);
extern void *malloc(unsigned long);
struct item { unsigned key; struct item *next; };

static struct item *made(unsigned key, struct item *next) {
    struct item *item = malloc(sizeof *item);
    item->key = key;
    item->next = next;
    return item;
}

int main(void) {
    struct item *all = 0;
    while (__VERIFIER_nondet_uint() & 3)
        all = made(0, all);
    struct item *one = all, *other = all;
    while (__VERIFIER_nondet_uint() & 1) {
        all = 0;
        if (__VERIFIER_nondet_uint() & 1)
            one = made(__VERIFIER_nondet_uint(), other);
    }
    while (__VERIFIER_nondet_uint() & 1) {
        if (all)
            all->key = 1; // SAFE: null-deref
        if (other)
            other = other->next; // UNKNOWN: null-deref
        while (__VERIFIER_nondet_uint() & 1)
            if (other)
                other->next = one; // UNKNOWN: null-deref
    }
    if (one)
        one->next = one; // SAFE: null-deref
    return one->next != 0; // UNKNOWN: null-deref
}
