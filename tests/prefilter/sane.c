// Pointers that are not null, and are no address of an object either, or are another pointer than the one compared.
#include <stdlib.h>
#include <string.h>
int __VERIFIER_nondet_int(void);
struct node { int key; struct node *next; int *data; };
static struct node *head;
static struct node nodes[4];

static int never_set(void) { int *p; if (p) return *p; return 0; } // OPEN: null-deref
static int never_set_in_memory(void) {
    struct node *n = malloc(sizeof *n);
    n = n->next;
    if (n) return n->key; // OPEN: null-deref
    return 0;
}
static int partly_set(int n) {
    struct node *a = calloc(1, sizeof *a);
    *(short *)&a->next = (short)n;
    a = a->next;
    if (a) return a->key; // OPEN: null-deref
    return 0;
}
static int by_bytes(int n) {
    struct node *a = calloc(1, sizeof *a);
    memset(&a->next, n, sizeof a->next);
    a = a->next;
    if (a) return a->key; // OPEN: null-deref
    return 0;
}
static int by_union(long n) {
    union { struct node *at; long number; } u;
    u.at = head;
    u.number = n;
    if (u.at) return u.at->key; // OPEN: null-deref
    return 0;
}
static int from_a_number(long n) { struct node *p = (struct node *)n; if (p != 0) return p->key; return 0; } // OPEN: null-deref
static int moved_before_compared(int n) { struct node *p = n ? head : 0; p = p + 1; if (p) return p->key; return 0; } // OPEN: null-deref
static int *field_of_null(void) { struct node *p = head; return &p->next->key; }
static int field_compared(void) { int **d = &head->next->data; if (d) return **d; return 0; } // OPEN: null-deref
static int other_compared(struct node *p, struct node *q) { if (p) return q->key; return 0; } // OPEN: null-deref
static int compared_before_a_store(struct node *p) {
    struct node **at = &p->next;
    if (p->next) {
        *at = 0;
        p = p->next;
        return p->key; // OPEN: null-deref
    }
    return 0;
}
static void clear(struct node *p) { p->next = 0; }
static int compared_before_a_call(struct node *p) {
    if (p->next) {
        clear(p);
        p = p->next;
        return p->key; // OPEN: null-deref
    }
    return 0;
}
static int compared_the_other_way(struct node *p) { if (!p) return p->key; return 0; } // OPEN: null-deref
static int either(struct node *p, struct node *q) { if (p || q) return q->key; return 0; } // OPEN: null-deref
static int not_both(struct node *p, struct node *q) { if (!(p && q)) return p->key; return 0; } // OPEN: null-deref
static int in_the_next_turn(struct node *p, int n) {
    int sum = 0;
    if (!p) return 0;
    while (n-- > 0) { sum += p->key; p = p->next; } // OPEN: null-deref
    return sum;
}
static int by_truth(struct node *p) { int is = p == 0; if (is) return p->key; return 0; } // OPEN: null-deref
static int from_a_float(void) { union { double d; struct node *p; } u; u.d = 1.5; if (u.p) return u.p->key; return 0; } // OPEN: null-deref
static int element_never_set(int n) { struct node *all[3]; all[0] = head; if (all[n & 1]) return all[n & 1]->key; return 0; } // OPEN: null-deref

int main(void) {
    int n = __VERIFIER_nondet_int();
    nodes[0].next = n ? &nodes[1] : 0;
    head = &nodes[0];
    struct node *q = n > 3 ? 0 : &nodes[2];
    switch (__VERIFIER_nondet_int()) {
    case 0: return never_set();
    case 1: return never_set_in_memory();
    case 2: return partly_set(n);
    case 3: return by_bytes(n);
    case 4: return by_union(n);
    case 5: return from_a_number(n);
    case 6: return moved_before_compared(n);
    case 7: return *field_of_null(); // OPEN: null-deref
    case 8: return field_compared();
    case 9: return other_compared(head, q);
    case 10: return compared_before_a_store(head);
    case 11: return compared_before_a_call(head);
    case 12: return compared_the_other_way(q);
    case 13: return either(head, q);
    case 14: return not_both(q, head);
    case 15: return in_the_next_turn(head, n);
    case 16: return by_truth(q);
    case 17: return from_a_float();
    default: return element_never_set(n);
    }
}
