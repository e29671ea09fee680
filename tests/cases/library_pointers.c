// RULES: null-deref,out-of-bounds,use-after-free,double-free,invalid-free,div-by-zero,assertion
#include <assert.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

// A library: no main. Every function that others can see is called from outside.

typedef struct node { struct node *next; int value; } node;
struct inner { int n; char *text; };
struct outer { int count; int table[10]; struct inner in; struct inner *out; node *head; };

int sum_inside(struct outer *o) { return o->count ^ o->in.n; }

int index_any(struct outer *o, int i) { return o->table[i]; } // BUG: out-of-bounds

int index_checked(struct outer *o, int i) {
    if (i < 0 || i >= 10) return 0;
    return o->table[i]; // SAFE: out-of-bounds
}

// Whether a member may be null is the caller's business, unless the code asks.
int unasked(struct outer *o) { return o->out->n; } // UNKNOWN: null-deref

int asked(struct outer *o) {
    if (!o->out) return 0;
    return o->out->n; // SAFE: null-deref
}

int asked_wrongly(struct outer *o) {
    if (o->out) return 0;
    return o->out->n; // BUG: null-deref
}

int param_asked(node *n) {
    if (n == NULL) return -1;
    return n->value; // SAFE: null-deref
}

// How many elements there are is not shown.
int second(int *p) { return p[1]; } // UNKNOWN: out-of-bounds

void drop(struct outer *o) {
    free(o->in.text); // SAFE: invalid-free
    free(o); // SAFE: double-free
}

int drop_early(node *n) {
    free(n);
    return n->value; // BUG: use-after-free
}

void drop_twice(node *n) {
    free(n);
    free(n); // BUG: double-free
}

int divide(int a, int b) { return a / b; } // BUG: div-by-zero

// Objects are separate: this is assumed, and said.
int separate(int *a, int *b) {
    *a = 1;
    *b = 2;
    assert(*a == 1); // SAFE: assertion
    return 0;
}

int written_once(node *n) {
    n->value = 3;
    int seen = n->value;
    assert(seen == 3); // SAFE: assertion
    assert(n->value == n->value); // SAFE: assertion
    if (n->next) assert(n->next != n); // SAFE: assertion
    return 0;
}

// What members hold may follow rules that types do not tell; plain numbers do not.
int member(node *n) {
    assert(n->value != 77); // UNKNOWN: assertion
    return 0;
}

int arbitrary(const int *n) {
    assert(*n != 77); // BUG: assertion
    return 0;
}

static int helper(int x) {
    assert(x != 5); // SAFE: assertion
    return x;
}

int calls(int x) { return x < 5 ? helper(x) : 0; }
int calls_too(int x) { return helper(x & 3); }

static int helper_of_one(int x) {
    assert(x != 5); // BUG: assertion
    return x;
}

int calls_well(int x) { return helper_of_one(x & 3); }
int calls_badly(int x) { return helper_of_one(x); }
