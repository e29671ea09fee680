// Pointers whose place in their object looks known and is another, and objects that are smaller than they look.
#include <stdlib.h>
#include <string.h>
int __VERIFIER_nondet_int(void);
struct pair { int left; int right; };
struct block { int head; int cells[6]; };
static int twelve[12];
static int four[4];
static int *cursor = twelve;
static struct pair *shared;

static int right_of(struct pair *p) { return p->right; } // OPEN: out-of-bounds
static int smaller_object(int n) { int *only = malloc(4); return right_of(n ? (struct pair *)only : (struct pair *)four); }
static int last(int *p) { return p[3]; } // OPEN: out-of-bounds
static int moved_by_one(int n) { return last(n ? four : four + 1); }
static int walks(int n) { int *p = twelve; for (int i = 0; i <= n; i++) p++; return *p; } // OPEN: out-of-bounds
static int walks_back(int n) { int *p = twelve + 11; while (n-- > 0) p--; return *p; } // OPEN: out-of-bounds
static int by_global(void) { cursor++; return *cursor; } // OPEN: out-of-bounds
static int of_wrapped_size(int n) { unsigned char few = 260 & n; int *p = malloc(few); return *p; } // OPEN: out-of-bounds
static void *cut(unsigned char size) { return malloc(size); }
static int of_cut_size(void) { struct block *b = cut(256 + 8); return b->cells[5]; } // OPEN: out-of-bounds
static void *product(unsigned n, unsigned size) { return malloc(n * size); }
static int of_wrapped_product(void) { struct block *b = product(65536, 65536); return b->head; } // OPEN: out-of-bounds
static int of_wrapped_sum(void) { unsigned size = 4294967295u; char *p = malloc(size + 2u); return p[1]; } // OPEN: out-of-bounds
static int made_smaller(void) { struct block *b = malloc(sizeof *b); b = realloc(b, 8); return b->cells[1]; } // OPEN: out-of-bounds
static int of_either_size(int n) { int *p = malloc(n ? 4 : 400); return p[3]; } // OPEN: out-of-bounds
static int behind_itself(int n) { struct block *b = malloc(sizeof *b); int *p = b->cells; p += n & 7; return *p; } // OPEN: out-of-bounds
static int before_itself(int n) { int *p = twelve + 4; p -= n & 7; return *p; } // OPEN: out-of-bounds
static int through_memory(int n) {
    int **at = malloc(sizeof *at);
    *at = four;
    if (n) *at = *at + 2;
    return (*at)[2]; // OPEN: out-of-bounds
}
static int from_container(int *field) {
    struct block *b = (struct block *)((char *)field - __builtin_offsetof(struct block, cells));
    return b->head; // OPEN: out-of-bounds
}
static int by_difference(int n) { long d = &twelve[n & 15] - twelve; return four[d & 7]; } // OPEN: out-of-bounds
static int turns_and_moves(int n) {
    int *p = twelve, *q = twelve;
    for (int i = 0; i < (n & 15); i++) { p = q; q = p + 1; }
    return *q; // OPEN: out-of-bounds
}
static int chosen_late(int n) { int *p = n ? four : twelve; return p[n & 7]; } // OPEN: out-of-bounds
static int by_recursion(int *p, int n) { return n <= 0 ? *p : by_recursion(p + 1, n - 1); } // OPEN: out-of-bounds
static int by_bytes_of_pointer(int n) {
    int *p = four;
    unsigned char *raw = (unsigned char *)&p;
    raw[0] += n & 127;
    return *p; // OPEN: out-of-bounds
}
static int of_nothing(int n) { char *p = malloc(n & 1); return p[0]; } // OPEN: out-of-bounds
static int variable_length(int n) { int size = (n & 3) + 1; int own[size]; own[0] = 1; return own[2]; } // OPEN: out-of-bounds

int main(void) {
    int n = __VERIFIER_nondet_int();
    struct block whole = {0};
    switch (__VERIFIER_nondet_int()) {
    case 0: return smaller_object(n);
    case 1: return moved_by_one(n);
    case 2: return walks(n);
    case 3: return walks_back(n);
    case 4: for (; n > 0; n--) by_global(); return 0;
    case 5: return of_wrapped_size(n);
    case 6: return of_cut_size();
    case 7: return of_wrapped_product();
    case 8: return of_wrapped_sum();
    case 9: return made_smaller();
    case 10: return of_either_size(n);
    case 11: return behind_itself(n);
    case 12: return before_itself(n);
    case 13: return through_memory(n);
    case 14: return from_container(n ? whole.cells : four);
    case 15: return by_difference(n);
    case 16: return turns_and_moves(n);
    case 17: return chosen_late(n);
    case 18: return by_recursion(twelve, n);
    case 19: return by_bytes_of_pointer(n);
    case 20: return of_nothing(n);
    default: return variable_length(n);
    }
}
