#include <assert.h>

static int recurse(int n) { return recurse(n) + 1; }

int main(int argc, char **argv) {
    (void)argv;
    if (argc > 3) {
        recurse(1);
        assert(0); // SAFE: assertion
    }
    if (argc == 2) {
        for (;;) argc = 2;
    }
    unsigned n = 0;
    while (1) n = (n + 1) & 3;
}
