// Calls that look as if they did not come back, and do: what is behind them is asked.
#include <setjmp.h>
#include <stdlib.h>
int __VERIFIER_nondet_int(void);
static int *none;
static jmp_buf place;

static void ends_mostly(int n) { if (n) exit(1); }
static void ends_in_a_loop(int n) { while (n > 0) { if (n == 7) return; n--; if (!n) exit(1); } }
static void ends_in_circles(int n) { if (n > 5) exit(1); ends_mostly(0); if (n > 0) ends_in_circles(n - 1); }
static void even(int n);
static void odd(int n) { if (n == 1) exit(2); even(n - 1); }
static void even(int n) { if (n == 0) return; odd(n - 1); }
static void jumps(void) { longjmp(place, 1); }
static void ends(void) { exit(3); }
static void (*chosen)(void) = ends;
static void comes_back(void) {}
static void ends_by_goto(int n) { if (n) goto out; exit(1); out: return; }
static void ends_by_switch(int n) { switch (n) { case 0: exit(0); case 1: abort(); default: break; } }
static int ends_or_gives(int n) { return n ? n : (exit(1), 0); }

static int behind_mostly(int n) { ends_mostly(n); return *none; } // OPEN: null-deref
static int behind_a_loop(int n) { ends_in_a_loop(n); return *none; } // OPEN: null-deref
static int behind_circles(int n) { ends_in_circles(n); return *none; } // OPEN: null-deref
static int behind_two(int n) { odd(n); return *none; } // OPEN: null-deref
static int behind_a_jump(void) {
    if (setjmp(place)) return *none; // OPEN: null-deref
    jumps();
    return 0;
}
static int behind_a_jump_in_line(int n) {
    int volatile turns = 0;
    setjmp(place);
    if (turns++) return *none; // OPEN: null-deref
    if (n) jumps();
    longjmp(place, 2);
}
static int behind_a_choice(int n) {
    if (n) chosen = comes_back;
    chosen();
    return *none; // OPEN: null-deref
}
static int behind_goto(int n) { ends_by_goto(n); return *none; } // OPEN: null-deref
static int behind_switch(int n) { ends_by_switch(n); return *none; } // OPEN: null-deref
static int behind_a_value(int n) { return ends_or_gives(n) + *none; } // OPEN: null-deref

int main(void) {
    int n = __VERIFIER_nondet_int();
    switch (__VERIFIER_nondet_int()) {
    case 0: return behind_mostly(n);
    case 1: return behind_a_loop(n);
    case 2: return behind_circles(n);
    case 3: return behind_two(n);
    case 4: return behind_a_jump();
    case 5: return behind_a_jump_in_line(n);
    case 6: return behind_a_choice(n);
    case 7: return behind_goto(n);
    case 8: return behind_switch(n);
    default: return behind_a_value(n);
    }
}
