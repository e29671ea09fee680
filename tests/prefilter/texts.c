// Texts without an end, texts that were changed, and tables that hold something else than they look.
#include <stdlib.h>
#include <string.h>
int __VERIFIER_nondet_int(void);
static const char unended[3] = {'a', 'b', 'c'};
static const char ended[4] = {'a', 'b', 'c', 0};
static char changed[4] = "abc";
static const char *words[3] = {"one", "two", unended};
static const char *const some[3] = {"one", 0, "three"};
static const int numbers[4] = {3, 1, 2, 4};
static int variable_numbers[4] = {3, 1, 2, 3};
static int once;

static unsigned long without_end(void) { return strlen(unended); } // OPEN: out-of-bounds
static unsigned long behind_the_end(int n) { return strlen(ended + (n & 7)); } // OPEN: out-of-bounds
static unsigned long after_a_change(int n) { if (n) changed[3] = 'd'; return strlen(changed); } // OPEN: out-of-bounds
static unsigned long of_a_table(int n) { return strlen(words[n & 1 ? 2 : 0]); } // OPEN: out-of-bounds
static int null_in_a_table(int n) { return some[n & 1][0]; } // OPEN: null-deref
static int too_large_in_a_table(int n) { return variable_numbers[numbers[n & 3]]; } // OPEN: out-of-bounds
static int after_a_store(int n) { if (n) variable_numbers[1] = 4; return numbers[variable_numbers[n & 3]]; } // OPEN: out-of-bounds
static int after_a_far_store(int n, int *p) { *p = n; return numbers[variable_numbers[0]]; } // OPEN: out-of-bounds
static int replaced(void) { words[0] = 0; return words[0][0]; } // OPEN: null-deref
static int divided_by_what_was_zero(void) { int r = once ? 1 : 2; once = 1; return r; }
static int never_again_zero(void) { return 4 / once; } // OPEN: div-by-zero
static unsigned long chosen(int n) { return strlen(n ? ended : unended); } // OPEN: out-of-bounds
static unsigned long copied(void) { char own[3]; memcpy(own, ended, 3); return strlen(own); } // OPEN: out-of-bounds
static int misread(int n) { return numbers[((const char *)variable_numbers)[n & 15]]; } // OPEN: out-of-bounds

int main(void) {
    int n = __VERIFIER_nondet_int();
    switch (__VERIFIER_nondet_int()) {
    case 0: return (int)without_end();
    case 1: return (int)behind_the_end(n);
    case 2: return (int)after_a_change(n);
    case 3: return (int)of_a_table(n);
    case 4: return null_in_a_table(n);
    case 5: return too_large_in_a_table(n);
    case 6: return after_a_store(n);
    case 7: return after_a_far_store(n, variable_numbers);
    case 8: return replaced();
    case 9: return never_again_zero() + divided_by_what_was_zero();
    case 10: return (int)chosen(n);
    case 11: return (int)copied();
    default: return misread(n);
    }
}
