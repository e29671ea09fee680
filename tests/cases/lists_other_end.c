// OPTIONS: --engine=proofs --timeout=2
// A list may become something else that nobody allocated, which is not the end of the list.
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assert(int);
extern void *malloc(unsigned long);
struct item { struct item *next; };
static struct item own;

int main(void) {
    struct item *all = 0;
    while (__VERIFIER_nondet_int()) {
        struct item *item = malloc(sizeof *item);
        item->next = all;
        all = item;
    }
    struct item *list = all;
    while (__VERIFIER_nondet_int())
        if (__VERIFIER_nondet_int())
            list = &own;
    __VERIFIER_assert(list != &own); // UNKNOWN: assertion
    return 0;
}
