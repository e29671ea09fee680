// Streams that were closed or replaced, and are used.
#include <stdio.h>
#include <stdlib.h>
int __VERIFIER_nondet_int(void);
static FILE *log_file;

static void closed(FILE *file) { fclose(file); fputs("late", file); } // OPEN: use-after-free
static void closed_elsewhere(void) { fclose(log_file); }
static void used_later(void) { closed_elsewhere(); fputs("late", log_file); } // OPEN: use-after-free
static void may_be_missing(const char *name) { FILE *file = fopen(name, "r"); fgetc(file); fclose(file); } // OPEN: null-deref
static void closes_what_it_writes(int n) { if (n) fclose(stdout); fputs("late", stdout); } // OPEN: use-after-free

int main(int argc, char **argv) {
    int n = __VERIFIER_nondet_int();
    log_file = fopen("log", "w");
    if (!log_file || argc < 2) return 1;
    switch (n) {
    case 0: closed(log_file); break;
    case 1: used_later(); break;
    case 2: may_be_missing(argv[1]); break;
    default: closes_what_it_writes(n); break;
    }
    return 0;
}
