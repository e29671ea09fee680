// Handlers, things that run before and after main.
#include <signal.h>
#include <stdlib.h>
#include <stdio.h>
int __VERIFIER_nondet_int(void);
static int number, divisor, zero, sink;
static int *early, *late, *other;
static void __attribute__((constructor)) before(void) { early = 0; zero = 0; divisor = 0; }
static int *given = &number;
static void __attribute__((constructor)) before2(void) { if (getenv("X")) given = 0; }
static void at_end(void) { sink = 4 / divisor; } // OPEN: div-by-zero
static void at_end_p(void) { *late = 1; } // OPEN: null-deref
static void __attribute__((destructor)) after(void) { *other = 1; } // OPEN: null-deref
static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
static void unreg(int n) { (void)n; }
int main(void) {
    int n = __VERIFIER_nondet_int();
    other = &number;
    late = &number;
    divisor = 1;
    *given = 2; // OPEN: null-deref
    atexit(at_end);
    atexit(at_end_p);
    signal(SIGUSR1, unreg);
    int a[2] = {2, 1};
    qsort(a, 2, sizeof(int), compare);
    if (n == 1) { late = 0; exit(0); }
    if (n == 2) { divisor = 0; return 0; }
    if (n == 3) { other = 0; return 0; }
    return 0;
}
