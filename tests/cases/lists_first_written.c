// OPTIONS: --engine=proofs --timeout=2
// What held of every node does not hold of one that was written since.
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assert(int);
extern void *malloc(unsigned long);
struct item { unsigned key; struct item *next; };

int main(void) {
    struct item *all = 0;
    while (__VERIFIER_nondet_uint() & 3) {
        struct item *item = malloc(sizeof *item);
        item->key = 0;
        item->next = all;
        all = item;
    }
    if (!all)
        return 0;
    __VERIFIER_assert(all->key != 1); // SAFE: assertion
    while (__VERIFIER_nondet_uint() & 1)
        all->key = 1;
    __VERIFIER_assert(all->key != 1); // UNKNOWN: assertion
    __VERIFIER_assert(all->key <= 1); // SAFE: assertion
    return 0;
}
