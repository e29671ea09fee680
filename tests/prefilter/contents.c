// Unions, bytes, padding, tables, texts, weak symbols, streams.
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <stdint.h>
int __VERIFIER_nondet_int(void);
static int sink, number;
union u { int *p; long n; char c[8]; };
static union u cell;
static int *slots[3] = {&number, &number, &number};
static int *const fixed[2] = {&number, 0};
static const char *names[2] = {"a", "b"};
static const char *const maybe[3] = {"a", "b"};
struct rec { char c; int *p; int n; };
static struct rec recs[2] = {{1, &number, 1}, {2, &number, 2}};
static const struct rec consts[2] = {{1, &number, 1}, {2, 0, 0}};
extern int weak_one __attribute__((weak));
int weak_zero __attribute__((weak));
static int *shared = &number;
static FILE *mine;

static int by_union(int n) { cell.p = &number; cell.n = n & 1 ? 0 : cell.n; return *cell.p; } // OPEN: null-deref
static int by_union_byte(void) { cell.p = &number; memset(cell.c, 0, 8); return *cell.p; } // OPEN: null-deref
static int slot(int n) { slots[n & 1] = 0; return *slots[1]; } // OPEN: null-deref
static int slot_by_ptr(int n) { int **p = slots; p += n & 1; *p = 0; return *slots[0]; } // OPEN: null-deref
static int table_zero(int n) { return *fixed[n & 1]; } // OPEN: null-deref
static int table_rest(int n) { return maybe[n & 1 ? 2 : 0][0]; } // OPEN: null-deref
static int name_changed(int n) { names[n & 1] = 0; return names[0][0]; } // OPEN: null-deref
static int name_raw(int n) { char *p = malloc(2); names[0] = p; return (int)strlen(names[0]); } // OPEN: uninit-read
static int rec_by_memcpy(void) { struct rec z; memset(&z, 0, sizeof z); memcpy(&recs[1], &z, sizeof z); return *recs[1].p; } // OPEN: null-deref
static int rec_by_assign(struct rec *r) { struct rec z = {0}; *r = z; return *r->p; } // OPEN: null-deref
static int rec_const(int n) { return *consts[n & 1].p; } // OPEN: null-deref
static int div_const(int n) { return 4 / consts[n & 1].n; } // OPEN: div-by-zero
static int weak_there(void) { return weak_one; } // OPEN: null-deref
static int weak_div(int n) { weak_zero = n; return 4 / weak_zero; } // OPEN: div-by-zero
static void clear(int **p) { *p = 0; }
static int cleared(void) { shared = &number; clear(&shared); return *shared; } // OPEN: null-deref
static void clear_void(void *p, int n) { memset(p, 0, n); }
static int cleared_by_void(int n) { shared = &number; clear_void(&shared, n & 8); return *shared; } // OPEN: null-deref
static int scanned(void) { int d = 4; if (scanf("%d", &d) < 0) return 0; return 4 / d; } // OPEN: div-by-zero
static int read_in(void) { int d = 4; fread(&d, sizeof d, 1, stdin); return 4 / d; } // OPEN: div-by-zero
static int partly_read(void) { char b[8]; if (!fgets(b, 8, stdin)) return 0; if (b[6]) return 1; return 0; } // OPEN: uninit-read
static int strcpy_part(void) { char b[8]; strcpy(b, "abc"); if (b[5]) return 1; return 0; } // OPEN: uninit-read
static int snprintf_part(int n) { char b[16]; snprintf(b, 16, "%d", n); if (b[14]) return 1; return 0; } // OPEN: uninit-read
static int closed_out(void) { fclose(stdout); return fputs("x", stdout); } // OPEN: use-after-free
static int set_stream(void) { mine = stdout; fclose(mine); fputs("x", stdout); return 0; } // OPEN: use-after-free
static int file_null(void) { FILE *f = fopen("x", "r"); return fgetc(f); } // OPEN: null-deref
static int env(void) { return getenv("X")[0]; } // OPEN: null-deref
static int chr(void) { return *strchr("abc", __VERIFIER_nondet_int()); } // OPEN: null-deref
static int tag(int n) { int *p = (int *)((uintptr_t)&number & ~(uintptr_t)(n ? -1 : 0)); return *p; } // OPEN: null-deref
static int casted(void) { long v = (long)&number; int *p = (int *)(long)(int)v; return *p; } // OPEN: null-deref
static int offset_null(int n) { struct rec *r = n ? recs : 0; int **p = &r->p; if (p) return **p; return 0; } // OPEN: null-deref
static int not_zero_but_small(int n) { int *p = (int *)(long)(n & 7); if (p) return *p; return 0; } // OPEN: null-deref
static int cmp_other(int n) { int *p = n ? &number : 0, *q = n > 1 ? &sink : 0; if (p == q) return *p; return 0; } // OPEN: null-deref
static int half_written(void) { int x; char *c = (char *)&x; c[0] = c[1] = c[2] = 0; if (x) return 1; return 0; } // OPEN: uninit-read
static int bit(void) { struct { unsigned a : 3, b : 5; } s; s.a = 1; if (s.b) return 1; return 0; } // OPEN: uninit-read
static int bit2(int n) { struct { unsigned a : 3, b : 5; } *s = malloc(8); s->a = n & 7; if (s->a) sink++; if (s->b) return 1; return 0; } // OPEN: uninit-read
static int xored(void) { int x, y = x ^ 3; (void)y; int *p = malloc(4); *p = x; if (*p == 7) return 1; return 0; } // OPEN: uninit-read
static int arr_all(int n) { int a[4]; for (int i = 0; i < n && i < 4; i++) a[i] = 1; if (a[3]) return 1; return 0; } // OPEN: uninit-read
static int realloc_more(int n) { int *p = malloc(4); *p = 1; p = realloc(p, 16); if (p && p[n & 3]) return 1; return 0; } // OPEN: uninit-read
static int in_struct(void) { struct rec r; r.c = 1; r.n = 2; struct rec s = r; struct rec *q = &s; if (q->p) return 1; return 0; } // OPEN: uninit-read
static int pad(void) { struct rec *r = malloc(sizeof *r); r->c = 1; r->p = 0; r->n = 2; struct rec *s = calloc(1, sizeof *s); *s = *r; if (memcmp(r, s, 24)) return 1; if (((char *)s)[3]) return 2; return 0; } // OPEN: uninit-read
static int leap(int n) { int x; switch (n) { case 0: x = 1; case 1: if (x) return 1; } return 0; } // OPEN: uninit-read
static int mid(int n) { if (n) goto in; { int a[2]; a[0] = 1; in: if (a[0]) return 1; } return 0; } // OPEN: uninit-read
static int mul(int n) { return (n & 0xffff) * (n & 0xffff); } // OPEN: signed-overflow
static int shl(int n) { return 1 << (n & 32); } // OPEN: bad-shift
static int shl2(int n) { return (n & 0xff) << 24; } // OPEN: signed-overflow
static int neg(int n) { return -n; } // OPEN: signed-overflow
static int divmin(int n) { if (n > 0) return 0; return n / (n | 1 ? -1 : 1); } // OPEN: signed-overflow
static int abs2(int n) { int m = n < 0 ? ~n : n; return m + m; } // OPEN: signed-overflow
static int count(void) { int c = 0; while (__VERIFIER_nondet_int()) c++; return c; } // OPEN: signed-overflow
static int count_step(int n) { for (int i = 0; i < n; i += 3) sink = i; return 0; } // OPEN: signed-overflow
static int count_down(int n) { for (int i = n; i != 5; i--) sink = i; return 0; } // OPEN: signed-overflow
static int sum_guard(int a, int b) { if (a + b < 10) return a + b + 1; return 0; } // OPEN: signed-overflow

int main(void) {
    int n = __VERIFIER_nondet_int(), m = __VERIFIER_nondet_int();
    switch (__VERIFIER_nondet_int()) {
    case 0: return by_union(n); case 1: return by_union_byte(); case 2: return slot(n); case 3: return slot_by_ptr(n);
    case 4: return table_zero(n); case 5: return table_rest(n); case 6: return name_changed(n); case 7: return name_raw(n);
    case 8: return rec_by_memcpy(); case 9: return rec_by_assign(recs); case 10: return rec_const(n); case 11: return div_const(n);
    case 12: return weak_there(); case 13: return weak_div(n); case 14: return cleared(); case 15: return cleared_by_void(n);
    case 16: return scanned(); case 17: return read_in(); case 18: return partly_read(); case 19: return strcpy_part();
    case 20: return snprintf_part(n); case 21: return closed_out(); case 22: return set_stream(); case 23: return file_null();
    case 24: return env(); case 25: return chr(); case 26: return tag(n); case 27: return casted(); case 28: return offset_null(n);
    case 29: return not_zero_but_small(n); case 30: return cmp_other(n); case 31: return half_written(); case 32: return bit();
    case 33: return bit2(n); case 34: return xored(); case 35: return arr_all(n); case 36: return realloc_more(n); case 37: return in_struct();
    case 38: return pad(); case 39: return leap(n); case 40: return mid(n); case 41: return mul(n); case 42: return shl(n); case 43: return shl2(n);
    case 44: return neg(n); case 45: return divmin(n); case 46: return abs2(n); case 47: return count(); case 48: return count_step(n);
    case 49: return count_down(n); case 50: return sum_guard(n, m);
    }
    return 0;
}
