// Sizes and places in objects that are not what they look like.
#include <stdlib.h>
#include <string.h>
#include <stdint.h>
int __VERIFIER_nondet_int(void);
static int sink;
static int table[4], longer[8];
static const char text[4] = {'a', 'b', 'c', 'd'};
static const char ended[5] = "abcd";
static struct { int a[4]; int b; } both;
static int *cursor = table;
static int start = 1;

static int *get(unsigned n) { return malloc(n * sizeof(int)); }
static int two_sizes(int n) { int *p = n ? get(4) : get(2); p[3] = 1; return 0; } // OPEN: out-of-bounds
static int by_argument(int n) { int *p = get(n & 3); if (p) p[2] = 1; return 0; } // OPEN: out-of-bounds
static int global_or_heap(int n) { int *p = n ? longer : table; p[5] = 1; return 0; } // OPEN: out-of-bounds
static int walked(int n) { int *p = table; while (n-- > 0) p++; return *p; } // OPEN: out-of-bounds
static int walked_back(int n) { int *p = table + 3; for (int i = 0; i < n; i++) p--; return *p; } // OPEN: out-of-bounds
static int in_global(void) { cursor++; return *cursor; } // OPEN: out-of-bounds
static int in_global_far(int n) { cursor = table + (n & 7); return *cursor; } // OPEN: out-of-bounds
static int not_equal(int n) { int *p = table + (n & 3); while (p != table + 4) { p += 2; sink += *p; } return 0; } // OPEN: out-of-bounds
static int wrapped(unsigned char n) { return table[(unsigned char)(n + 1) & 7]; } // OPEN: out-of-bounds
static int signed_char(signed char c) { if (c < 4) return table[c]; return 0; } // OPEN: out-of-bounds
static int unsigned_as_signed(unsigned n) { if ((int)n < 4) return table[n]; return 0; } // OPEN: out-of-bounds
static int remainder_of(int n) { return table[n % 4]; } // OPEN: out-of-bounds
static int shifted(int n) { return table[n >> 30]; } // OPEN: out-of-bounds
static int truncated(int n) { if (n >= 0 && n < 256) return table[(signed char)n & 0x83]; return 0; } // OPEN: out-of-bounds
static int counted_down(int n) { for (unsigned i = 3; i >= 0; i--) { sink += table[i]; if (n) break; } return 0; } // OPEN: out-of-bounds
static int off_by_one(void) { for (int i = 0; i <= 4; i++) sink += table[i]; return 0; } // OPEN: out-of-bounds
static int two_steps(int n) { int i = 0; while (i < 4) { if (n--) i++; i++; sink += table[i - 1]; } return 0; } // OPEN: out-of-bounds
static int beside(int n) { int *p = &both.b; return p[n & 1]; } // OPEN: out-of-bounds
static int no_zero(void) { return (int)strlen(text); } // OPEN: out-of-bounds
static int past_zero(int n) { return (int)strlen(ended + (n & 7)); } // OPEN: out-of-bounds
static int copied(int n) { char *p = malloc(4); memcpy(p, ended, 4 + (n & 1)); return p[0]; } // OPEN: out-of-bounds
static int allocated(int n) { char *p = n ? malloc(8) : (char *)__builtin_alloca(4); p[6] = 1; return 0; } // OPEN: out-of-bounds
static int variable(int n) { if (n < 1 || n > 9) return 0; int a[n]; a[3] = 1; return a[3]; } // OPEN: out-of-bounds
static int shrunk(void) { char *p = malloc(8); p[7] = 1; p = realloc(p, 4); if (p) p[7] = 1; return 0; } // OPEN: out-of-bounds
static int checked_in_another_rule(int n) { int x = table[n & 3] + n; if (x) return table[n]; return 0; } // OPEN: out-of-bounds
static int other_index(int n, int m) { sink += table[n]; return table[m]; } // OPEN: out-of-bounds
static int changed_index(int n) { if (n < 0 || n > 3) return 0; n++; return table[n]; } // OPEN: out-of-bounds
static int index_in_memory(int *n) { if (*n < 0 || *n > 3) return 0; table[0] = 9; return table[*n]; } // OPEN: out-of-bounds
static int guarded_once(int n) { int i = 0; while (1) { if (n > 3) break; sink += table[i & 7]; i += n & 1; if (i > 6) break; } return 0; } // OPEN: out-of-bounds
static int number_to_pointer(int n) { uintptr_t u = (uintptr_t)table; u += n & 31; return *(char *)u; } // OPEN: out-of-bounds
static int select_size(int n) { int *p = malloc(n > 3 ? 16 : 8); p[3] = 1; return 0; } // OPEN: out-of-bounds
static int calloc_wrap(int n) { int *p = calloc(n & 3, 4); if (p) p[2] = 1; return 0; } // OPEN: out-of-bounds
static int ptr_loop(int n) { for (int *p = table; p < table + 4 + (n & 1); p++) sink += *p; return 0; } // OPEN: out-of-bounds
struct holder { int *base; int len; };
static int by_holder(struct holder *h, int i) { if (i >= 0 && i < h->len) return h->base[i]; return 0; } // OPEN: out-of-bounds
static int once_set(int n) { start += 3; if (n > 0 && n < 2) return table[start]; return 0; } // OPEN: out-of-bounds
static int neg_stride(int n) { int *p = table + 3; if (n > 0 && n < 5) return p[-n]; return 0; } // OPEN: out-of-bounds
static int struct_end(int n) { struct { char c; int a[3]; } *p = malloc(sizeof *p - 4 * (n & 1)); p->a[2] = 1; return 0; } // OPEN: out-of-bounds
static void fill(int *p, int n) { for (int i = 0; i < n; i++) p[i] = i; } // OPEN: out-of-bounds
static int div_neg(int n) { return table[n / 2 & ~4]; } // OPEN: out-of-bounds

int main(void) {
    int n = __VERIFIER_nondet_int(), m = __VERIFIER_nondet_int();
    struct holder h = {table, n & 7};
    switch (__VERIFIER_nondet_int()) {
    case 0: two_sizes(n); break; case 1: by_argument(n); break; case 2: global_or_heap(n); break;
    case 3: walked(n); break; case 4: walked_back(n); break; case 5: in_global(); in_global(); in_global(); in_global(); in_global(); break;
    case 6: in_global_far(n); break; case 7: not_equal(n); break; case 8: wrapped(n); break; case 9: signed_char(n); break;
    case 10: unsigned_as_signed(n); break; case 11: remainder_of(n); break; case 12: shifted(n); break; case 13: truncated(n); break;
    case 14: counted_down(n); break; case 15: off_by_one(); break; case 16: two_steps(n); break; case 17: beside(n); break;
    case 18: no_zero(); break; case 19: past_zero(n); break; case 20: copied(n); break; case 21: allocated(n); break;
    case 22: variable(n); break; case 23: shrunk(); break; case 24: checked_in_another_rule(n); break; case 25: other_index(n, m); break;
    case 26: changed_index(n); break; case 27: table[0] = n & 7; index_in_memory(table); break; case 28: guarded_once(n); break;
    case 29: number_to_pointer(n); break; case 30: select_size(n); break; case 31: calloc_wrap(n); break; case 32: ptr_loop(n); break;
    case 33: by_holder(&h, m); break; case 34: once_set(n); once_set(n); break; case 35: neg_stride(n); break; case 36: struct_end(n); break;
    case 37: fill(table, n); break; case 38: div_neg(n); break;
    }
    return sink;
}
