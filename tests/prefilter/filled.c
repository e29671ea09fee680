// What was set before and is not any more, or was set elsewhere, or only in part.
#include <stdlib.h>
#include <string.h>
int __VERIFIER_nondet_int(void);
struct part { int a; char b; int c; };
static int sink;

static void scope_again(int n) {
    for (int i = 0; i < n; i++) {
        int fresh;
        int *at = &fresh;
        if (i > 0)
            if (*at > 3) sink++; // OPEN: uninit-read
        *at = i;
    }
}
static void scope_by_goto(int n) {
    int i = 0;
again:;
    {
        int fresh;
        int *at = &fresh;
        if (i)
            if (*at) sink++; // OPEN: uninit-read
        *at = 1;
    }
    if (i++ < n) goto again;
}
static void copied_over(int n) {
    struct part one, raw;
    one.a = 1; one.b = 2; one.c = 3;
    if (n) raw.a = 1;
    one = raw;
    if (one.c) sink++; // OPEN: uninit-read
}
static void copied_over_by_memcpy(void) {
    struct part *one = calloc(1, sizeof *one), *raw = malloc(sizeof *raw);
    memcpy(one, raw, sizeof *one);
    if (one->a) sink++; // OPEN: uninit-read
}
static void spoil(struct part *p) { int raw; p->c = raw; }
static void spoiled_by_a_call(void) { struct part one = {1, 2, 3}; spoil(&one); if (one.c) sink++; } // OPEN: uninit-read
static void half(void) { int *p = malloc(4); *(short *)p = 1; if (*p) sink++; } // OPEN: uninit-read
static void all_but_one(void) { char *p = malloc(8); memset(p, 0, 7); if (p[7]) sink++; } // OPEN: uninit-read
static void one_too_far(void) { int *p = malloc(8); p[0] = 0; if (p[1]) sink++; } // OPEN: uninit-read
static void next_allocation(int n) {
    int *p = 0;
    for (int i = 0; i < n; i++) {
        if (p && i == 1) *p = 1;
        p = malloc(4);
    }
    if (p)
        if (*p) sink++; // OPEN: uninit-read
}
static int *raw_one(void) { return malloc(4); }
static void same_site(void) { int *p = raw_one(); *p = 1; int *q = raw_one(); if (*q) sink++; } // OPEN: uninit-read
static void grown(void) { int *p = calloc(1, 4); p = realloc(p, 8); if (p[1]) sink++; } // OPEN: uninit-read
static void padding(void) {
    struct part one, other;
    other.a = 1; other.b = 1; other.c = 1;
    memset(&one, 0, sizeof one);
    one = other;
    if (((char *)&one)[5]) sink++; // OPEN: uninit-read
}
static void perhaps(int *p, int n) { if (n) *p = 1; }
static void set_perhaps(int n) { int x; perhaps(&x, n); if (x) sink++; } // OPEN: uninit-read
static void other_element(int n) { int a[4]; a[n & 3] = 1; if (a[(n + 1) & 3]) sink++; } // OPEN: uninit-read
static void equal_in_part(int n) {
    int x;
    *(char *)&x = (char)n;
    if ((char)x == 5)
        sink += x > 1000 ? 1 : 0; // OPEN: uninit-read
}
static void cancelled(void) {
    int x;
    int zero = x ^ x;
    if (zero == 0) sink++;
    if (x) sink++; // OPEN: uninit-read
}
static void masked(void) {
    int x;
    int low = x & 0;
    if (low == 0) sink++;
    if (x == 3) sink++; // OPEN: uninit-read
}
static void multiplied(void) {
    int x;
    int none = x * 0;
    if (none == 0) sink++;
    if (x == 3) sink++; // OPEN: uninit-read
}
static void recursion(int n) { int x; int *p = &x; if (n > 0) { *p = 1; recursion(n - 1); } else if (*p) sink++; } // OPEN: uninit-read
static void by_alias(int n) {
    int x = 1, y;
    int *p = n ? &x : &y;
    if (*p) sink++; // OPEN: uninit-read
}
static void cleared_by_alias(struct part *p, struct part *q) {
    p->a = 1;
    struct part raw;
    *q = raw;
    if (p->a) sink++; // OPEN: uninit-read
}

int main(void) {
    int n = __VERIFIER_nondet_int();
    struct part one;
    switch (__VERIFIER_nondet_int()) {
    case 0: scope_again(n); break;
    case 1: scope_by_goto(n); break;
    case 2: copied_over(n); break;
    case 3: copied_over_by_memcpy(); break;
    case 4: spoiled_by_a_call(); break;
    case 5: half(); break;
    case 6: all_but_one(); break;
    case 7: one_too_far(); break;
    case 8: next_allocation(n); break;
    case 9: same_site(); break;
    case 10: grown(); break;
    case 11: padding(); break;
    case 12: set_perhaps(n); break;
    case 13: other_element(n); break;
    case 14: equal_in_part(n); break;
    case 15: cancelled(); break;
    case 16: masked(); break;
    case 17: multiplied(); break;
    case 18: recursion(n); break;
    case 19: by_alias(n); break;
    default: cleared_by_alias(&one, &one); break;
    }
    return sink;
}
