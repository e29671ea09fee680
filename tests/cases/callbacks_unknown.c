// A function that is handed to one without a body may be called from there, now or later.
#include <assert.h>
#include <pthread.h>
#include <search.h>
#include <threads.h>

extern int __VERIFIER_nondet_int(void);
void subscribe(void (*)(void));

static int g;

static void once(void)
{
    assert(g == 0); // UNKNOWN: assertion
}

static int thread(void *unused)
{
    (void)unused;
    assert(g == 0); // UNKNOWN: assertion
    return 0;
}

static int compare(const void *a, const void *b)
{
    assert(g == 0); // UNKNOWN: assertion
    return *(const int *)a - *(const int *)b;
}

static void subscriber(void)
{
    assert(g == 0); // UNKNOWN: assertion
}

int main(void)
{
    static pthread_once_t control = PTHREAD_ONCE_INIT;
    int n = __VERIFIER_nondet_int();
    g = 1;
    if (n == 1)
        pthread_once(&control, once);
    if (n == 2) {
        thrd_t t;
        thrd_create(&t, thread, 0);
        thrd_join(t, 0);
    }
    if (n == 3) {
        int all[2] = {1, 2}, key = 2;
        size_t count = 2;
        lfind(&key, all, &count, sizeof all[0], compare);
    }
    if (n == 4)
        subscribe(subscriber);
    return 0;
}
