// OPTIONS: --engine=proofs --timeout=2
// Two names of one list, which is empty for both or for none.
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assert(int);
extern void *malloc(unsigned long);
struct item { struct item *next; };

int main(void) {
    struct item *all = 0;
    while (__VERIFIER_nondet_int()) {
        struct item *item = malloc(sizeof *item);
        item->next = all;
        all = item;
    }
    struct item *one = all, *other = all;
    while (__VERIFIER_nondet_int())
        other = 0;
    __VERIFIER_assert(!one || other); // UNKNOWN: assertion
    return 0;
}
