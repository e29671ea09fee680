// Loops that turn very often and only count are not followed turn by turn.
#include <limits.h>
unsigned __VERIFIER_nondet_uint(void);
void __VERIFIER_assert(int);

static unsigned shared;

static void by_threes(void) {
    unsigned x = 0;
    while (x < 900000000)
        x += 3;
    __VERIFIER_assert(x == 900000000); // SAFE: assertion
    __VERIFIER_assert(x % 2);          // BUG: assertion
}

static void over_the_edge(void) {
    unsigned char small = 7;
    unsigned turns = 0;
    while (small != 6) {
        small += 5;
        turns++;
        shared = turns * 2;
    }
    __VERIFIER_assert(turns == 51 && shared == 102); // SAFE: assertion
    unsigned x = 1;
    turns = 0;
    while (x > 0) {
        x += 2147483647;
        turns++;
    }
    __VERIFIER_assert(turns == 2147483649u); // SAFE: assertion
}

static unsigned step(unsigned x) {
    return x + 2;
}

static void in_memory(void) {
    long long total = 0;
    unsigned *at = &shared;
    *at = 0;
    for (int i = INT_MAX; i > -1000000000; i--) {
        *at = step(*at);
        total -= 5;
    }
    __VERIFIER_assert(total == -5 * 3147483647ll); // SAFE: assertion
    __VERIFIER_assert(shared == 1999999997);       // BUG: assertion
}

static void stops_in_the_middle(void) {
    int i = 0, j = 300000000;
    while (1) {
        if (i >= 200000000)
            j -= 2;
        else
            j--;
        i++;
        __VERIFIER_assert(j != 6); // BUG: assertion
        if (j < 0)
            break;
    }
}

static void inside_each_other(void) {
    unsigned sum = 0;
    for (unsigned i = 0; i < 40; i++)
        for (unsigned j = 0; j < 70000000 + i; j++)
            sum += 3;
    __VERIFIER_assert(sum == 3 * (40 * 70000000ull + 780) % 4294967296ull); // SAFE: assertion
}

static void not_by_the_same(void) {
    unsigned a = 1, b = 1, i = 0;
    while (i < 300) {
        unsigned c = a + b;
        a = b;
        b = c % 1000;
        i++;
    }
    __VERIFIER_assert(b == 401); // SAFE: assertion
}

static void only_around(void) {
    unsigned odd = 0;
    for (int i = 0; i < 1000; i++) {
        int j = -2;
        do {
            if (odd == 0)
                break;
            odd--;
        } while (++j < 0);
    }
    __VERIFIER_assert(odd); // BUG: assertion
}

static void for_ever(void) {
    unsigned x = 3;
    while (x != 2)
        x += 2;
    __VERIFIER_assert(0); // SAFE: assertion
}

int main(void) {
    switch (__VERIFIER_nondet_uint()) {
    case 0: by_threes(); break;
    case 1: over_the_edge(); break;
    case 2: in_memory(); break;
    case 3: stops_in_the_middle(); break;
    case 4: inside_each_other(); break;
    case 5: not_by_the_same(); break;
    case 6: only_around(); break;
    default: for_ever();
    }
    return 0;
}
