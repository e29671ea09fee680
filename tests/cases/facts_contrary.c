// RULES: null-deref
// A way that contradicts what is known before it is never taken.
int __VERIFIER_nondet_int(void);
struct node { int key; struct node *next; int *data; };
static int number;

static int accessed(struct node *n) {
    int *result = &number;
    n->key = 1;
    if (!n)
        result = 0;
    return *result; // SAFE: null-deref
}

static int same_condition(int a) {
    int *result = 0;
    if (a > 3)
        result = &number;
    if (a > 3)
        return *result; // SAFE: null-deref
    return 0;
}

static int or_another(int *p) {
    int *q = &number;
    if (!p)
        p = q;
    return *p; // SAFE: null-deref
}

static int changed_since(struct node *n) {
    int *result = &number;
    n->key = 1;
    n = n->next;
    if (!n)
        result = 0;
    return *result; // BUG: null-deref
}

int main(void) {
    struct node one = {1, 0, 0};
    int n = __VERIFIER_nondet_int();
    int sum = accessed(&one) + same_condition(n) + or_another(n > 7 ? &number : 0);
    if (n == 2)
        sum += changed_since(&one);
    return sum;
}
