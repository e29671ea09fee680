// Ways that look as if they contradicted what is known, and can be taken.
#include <stdlib.h>
int __VERIFIER_nondet_int(void);
struct node { int key; struct node *next; int *data; };
static int number, sink;
static struct node one;

static int far_away(char *text, long by) { int *r = &number; char *at = text + by; if (!at) r = 0; return *r; } // OPEN: null-deref
static int far_away_loop(char *text) { int *r = &number; while (__VERIFIER_nondet_int()) text--; if (!text) r = 0; return *r; } // OPEN: null-deref
static int before_it(char *text) { int *r = &number; char *at = text - 1; if (!at) r = 0; return *r + (text[0] != 0); } // OPEN: null-deref
static int changed_since(struct node *n) { int *r = &number; n->key = 1; n = n->next; if (!n) r = 0; return *r; } // OPEN: null-deref
static int changed_in_memory(struct node *n) { int *r = &number; if (!n->next) return 0; n->next = 0; if (!n->next) r = 0; return *r; } // OPEN: null-deref
static int changed_by_alias(struct node *n, struct node *m) { int *r = &number; if (!n->data) return 0; m->data = 0; if (!n->data) r = 0; return *r; } // OPEN: null-deref
static int another_turn(int n) {
    int *r = &number, *p = &number;
    for (int i = 0; i < n; i++) {
        if (!p) r = 0;
        sink += *r; // OPEN: null-deref
        p = i == 2 ? 0 : &number;
    }
    return 0;
}
static int another_number(int a) { int *r = 0; if (a > 3) r = &number; a++; if (a > 3) return *r; return 0; } // OPEN: null-deref
static int another_comparison(int a) { int *r = 0; if (a > 3) r = &number; if ((unsigned)a > 3) return *r; return 0; } // OPEN: null-deref
static int compared_again(int n) { int *r = &number; int again = 0; do { if (n == again) { r = 0; break; } } while (again++ < 5); return *r; } // OPEN: null-deref
static int perhaps_null(int n) { int *p = n ? &number : 0; int *r = &number; if (!p) r = 0; return *r; } // OPEN: null-deref
static int not_accessed(struct node *n, int i) { int *r = &number; if (i) n->key = 1; if (!n) r = 0; return *r; } // OPEN: null-deref
static int not_always(struct node *n, int i) { while (i-- > 3) n->key = 1; if (!n) return *n->data; return 0; } // OPEN: null-deref

int main(void) {
    int n = __VERIFIER_nondet_int();
    one.next = &one;
    one.data = &number;
    char *text = malloc(4);
    text[0] = 0;
    switch (__VERIFIER_nondet_int()) {
    case 0: return far_away(text, __VERIFIER_nondet_int());
    case 1: return far_away_loop(text);
    case 2: return before_it(text);
    case 3: one.next = 0; return changed_since(&one);
    case 4: return changed_in_memory(&one);
    case 5: return changed_by_alias(&one, &one);
    case 6: return another_turn(n);
    case 7: return another_number(n);
    case 8: return another_comparison(n);
    case 9: return compared_again(n);
    case 10: return perhaps_null(n);
    case 11: return not_accessed(n ? &one : 0, n);
    default: return not_always(n > 3 ? &one : 0, n);
    }
}
