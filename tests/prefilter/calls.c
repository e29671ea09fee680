// Facts that hold in one call, one turn or one object, asked about in another.
#include <stdarg.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
int __VERIFIER_nondet_int(void);
struct part { int a, b; int *at; };
static int sink, number;
static jmp_buf place;

static void perhaps_a(struct part *p) { if (__VERIFIER_nondet_int()) p->a = 2; }
static void spoiled_before_a_call(void) {
    struct part *p = malloc(sizeof *p), *raw = malloc(sizeof *raw);
    p->a = 1;
    p->a = raw->b;
    perhaps_a(p);
    if (p->a > 3) sink++; // OPEN: uninit-read
}
static void spoiled_before_two_calls(struct part *raw) {
    struct part *p = malloc(sizeof *p);
    *p = *raw;
    perhaps_a(p);
    perhaps_a(p);
    if (p->b > 3) sink++; // OPEN: uninit-read
}
static void through(struct part *p, int n) { if (n > 0) through(p, n - 1); else perhaps_a(p); }
static void spoiled_before_recursion(int n) {
    struct part *p = malloc(sizeof *p), *raw = malloc(sizeof *raw);
    p->a = 1;
    p->a = raw->b;
    through(p, n);
    if (p->a > 3) sink++; // OPEN: uninit-read
}
static void by_pointer(void (*f)(struct part *)) {
    struct part *p = malloc(sizeof *p), *raw = malloc(sizeof *raw);
    p->a = 1;
    p->a = raw->a;
    f(p);
    if (p->a > 3) sink++; // OPEN: uninit-read
}
static void spoil_at(struct part *p, struct part *raw) { p->a = raw->a; }
static void spoiled_in_a_call(void) {
    struct part *p = malloc(sizeof *p), *raw = malloc(sizeof *raw);
    p->a = 1;
    spoil_at(p, raw);
    perhaps_a(p);
    if (p->a > 3) sink++; // OPEN: uninit-read
}
static void freed_in_callee(struct part *p, int n) { p->a = 1; if (n) free(p); }
static void live_after(int n) { struct part *p = malloc(sizeof *p); freed_in_callee(p, n); p->a = 2; } // OPEN: use-after-free
static void free_both(struct part *p, struct part *q) { free(p); q->a = 1; } // OPEN: use-after-free
static void freed_alias(void) { struct part *p = malloc(sizeof *p); p->a = 1; free_both(p, p); }
static struct part *kept;
static void keep(struct part *p) { kept = p; }
static void drop(void) { free(kept); }
static void freed_far_away(void) { struct part *p = malloc(sizeof *p); p->a = 1; keep(p); drop(); p->a = 2; } // OPEN: use-after-free
static void moved(int n) { struct part *p = malloc(sizeof *p); p->a = 1; struct part *q = p; p = realloc(p, 64 + n % 8); if (p) q->a = 2; } // OPEN: use-after-free
static void twice(void) {
    int *volatile at = malloc(4);
    int *p = malloc(4);
    *p = 1;
    if (setjmp(place)) { *p = 2; return; } // OPEN: use-after-free
    free(p); (void)at;
    longjmp(place, 1);
}
static void jumps(int n) { if (n > 2) longjmp(place, 1); }
static void over_a_jump(int n) {
    int *volatile p = 0;
    if (setjmp(place) == 0) { jumps(n); p = &number; } 
    *p = 1; // OPEN: null-deref
}
static void ends(int n) { if (n > 3) exit(1); }
static void ends_perhaps(int *p, int n) { if (!p) ends(n); *p = 1; } // OPEN: null-deref
static void ends_by_pointer(int *p, void (*stop)(int)) { if (!p) stop(1); *p = 1; } // OPEN: null-deref
static void stops(int n) { (void)n; abort(); }
static void comes_back(int n) { sink += n; }
static void loops_or_ends(int *p, int n) { while (!p) { if (n++ > 3) break; } *p = 1; } // OPEN: null-deref
static void rec_end(int n) { if (n > 0) rec_end(n - 1); else if (n == 0) return; exit(0); }
static void recursion_comes_back(int *p) { if (!p) rec_end(0); *p = 1; } // OPEN: null-deref
static int many(int count, ...) {
    va_list list; va_start(list, count);
    int *p = va_arg(list, int *);
    int r = *p; // OPEN: null-deref
    va_end(list);
    return r;
}
static int turns(int n) {
    struct part *p = 0, *before = 0;
    int sum = 0;
    for (int i = 0; i < n; i++) {
        if (before && i > 2) if (before->b > 0) sum++; // OPEN: uninit-read
        p = malloc(sizeof *p);
        p->a = i;
        if (i & 1) p->b = i;
        before = p;
    }
    return sum;
}
static int turn_freed(int n) {
    int *p = malloc(4);
    *p = 1;
    while (n-- > 0) { *p = n; if (n == 3) free(p); } // OPEN: use-after-free
    return 0;
}
static int turn_null(int n) {
    int *p = &number;
    do { *p = n; if (n == 3) p = 0; } while (n-- > 0); // OPEN: null-deref
    return 0;
}
static int **inner(int n) { int **a = malloc(2 * sizeof *a); a[0] = &number; if (n) a[1] = &number; return a; }
static int element_null(int n) { int **a = calloc(2, sizeof *a); a[n & 1] = &number; return *a[0]; } // OPEN: null-deref
static void set_field(struct part *p) { p->at = &number; }
static int other_one(void) {
    struct part *p = calloc(1, sizeof *p), *q = calloc(1, sizeof *q);
    set_field(p);
    return *q->at; // OPEN: null-deref
}
static struct part *make_part(void) { struct part *p = calloc(1, sizeof *p); return p; }
static int same_site(void) {
    struct part *p = make_part(), *q = make_part();
    p->at = &number;
    if (!p->at) return 0;
    return *q->at; // OPEN: null-deref
}
static int reset(struct part *p, struct part *q) { if (!p->at) return 0; q->at = 0; return *p->at; } // OPEN: null-deref
static int reset_by_memset(struct part *p) { if (!p->at) return 0; memset(p, 0, sizeof *p); return *p->at; } // OPEN: null-deref
static int reset_by_bytes(struct part *p, int n) { if (!p->at) return 0; ((char *)p)[n & 15] = 0; ((long *)p)[1] = 0; return *p->at; } // OPEN: null-deref
static int reset_by_overflow(int n) { struct { int a[2]; int z; int *at; } s = {{0}, 0, &number}; ((long *)s.a)[n & 3] = 0; return *s.at; } // OPEN: null-deref
static int vol(void) { int *volatile p = __VERIFIER_nondet_int() ? &number : 0; if (!p) return 0; p = 0; return *p; } // OPEN: null-deref

int main(void) {
    int n = __VERIFIER_nondet_int();
    struct part one, *raw = malloc(sizeof *raw);
    one.at = &number;
    raw->a = 1;
    switch (__VERIFIER_nondet_int()) {
    case 0: spoiled_before_a_call(); break;
    case 1: spoiled_before_two_calls(raw); break;
    case 2: spoiled_before_recursion(n); break;
    case 3: by_pointer(perhaps_a); break;
    case 4: spoiled_in_a_call(); break;
    case 5: live_after(n); break;
    case 6: freed_alias(); break;
    case 7: freed_far_away(); break;
    case 8: moved(n); break;
    case 9: twice(); break;
    case 10: over_a_jump(n); break;
    case 11: ends_perhaps(n ? &number : 0, n); break;
    case 12: ends_by_pointer(n ? &number : 0, n > 1 ? stops : comes_back); break;
    case 13: loops_or_ends(n ? &number : 0, n); break;
    case 14: recursion_comes_back(n ? &number : 0); break;
    case 15: many(1, n ? &number : (int *)0); break;
    case 16: turns(n); break;
    case 17: turn_freed(n); break;
    case 18: turn_null(n); break;
    case 19: element_null(n); break;
    case 20: other_one(); break;
    case 21: same_site(); break;
    case 22: reset(&one, &one); break;
    case 23: reset_by_memset(&one); break;
    case 24: reset_by_bytes(&one, n); break;
    case 25: reset_by_overflow(n); break;
    case 26: vol(); break;
    default: inner(n); break;
    }
    return sink;
}
