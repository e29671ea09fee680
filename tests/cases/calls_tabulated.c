// OPTIONS: --engine=cegas
// Calls that touch memory are tabulated by what they are entered with: a recursion that changes nothing it can name is
// one call that waits for itself.
extern void svf_assert(_Bool);
extern int __VERIFIER_nondet_int(void);

struct node { int value; struct node *next; };
static int counter, depth;

// No execution of it returns.
static int down(int *p) {
    int here = *p;
    return down(&here) + 1;
}

// Returns from every depth, each time with what it was given.
static int *same(int *p, int n) {
    if (__VERIFIER_nondet_int()) return p;
    return same(p, n);
}

static void bump(struct node *n) { n->value = n->value + 1; }

static int last(struct node *n) { return n->next ? last(n->next) : n->value; }

static void set(int *where, int value) { *where = value; }

// Two callers, two states.
static int chosen(int *p) { return *p == 3 ? 10 : 20; }

int main(void) {
    int a = 3, b = 4;
    struct node second = { 7, 0 }, first = { 1, &second };
    set(&a, 3);
    set(&b, 4);
    svf_assert(a == 3 && b == 4); // SAFE: assertion
    svf_assert(chosen(&a) == 10); // SAFE: assertion
    svf_assert(chosen(&b) == 20); // SAFE: assertion
    svf_assert(chosen(&b) == 10); // BUG: assertion
    bump(&second);
    svf_assert(last(&first) == 8); // SAFE: assertion
    svf_assert(same(&a, 1) == &a); // SAFE: assertion
    svf_assert(*same(&b, 2) == 4); // SAFE: assertion
    if (__VERIFIER_nondet_int()) {
        counter = down(&depth);
        svf_assert(0); // SAFE: assertion
    }
    return 0;
}
