// OPTIONS: --engine=cegas
// Two functions that call each other for ever, with memory that changes on the way and comes back.
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

static int turn;
static void ping(int **p);
static void pong(int **p) { turn = 0; ping(p); }
static void ping(int **p) {
    int own = **p, *q = &own;
    turn = 1;
    pong(&q);
    reach_error(); // SAFE: assertion
}

int main(void) {
    int x = 1, *p = &x;
    if (__VERIFIER_nondet_int()) ping(&p);
    if (turn != 0) reach_error(); // SAFE: assertion
    return 0;
}
