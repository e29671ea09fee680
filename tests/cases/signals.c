// The handler of a signal may run at any time, so nothing behind it is proved; an execution without signals is real. What
// comes before is proved where paths from there do not matter.
#include <assert.h>
#include <signal.h>

int __VERIFIER_nondet_int(void);

int *where;
int here;

static void forget(int signal)
{
    (void)signal;
    where = 0;
}

int main(void)
{
    where = &here;
    assert(where == &here); // SAFE: assertion
    if (signal(SIGINT, SIG_IGN) != SIG_IGN)
        signal(SIGINT, forget);
    assert(where == &here); // UNKNOWN: assertion
    int which = __VERIFIER_nondet_int();
    if (which == SIGHUP) {
        signal(which, forget);
        assert(signal(SIGHUP, SIG_IGN) != SIG_DFL); // UNKNOWN: assertion
    }
    struct sigaction action = {.sa_handler = forget}, old;
    int done = sigaction(SIGTERM, &action, &old);
    if (__VERIFIER_nondet_int() == 5)
        assert(done != 0); // BUG: assertion
    assert(old.sa_handler != SIG_IGN); // UNKNOWN: assertion
    return 0;
}
