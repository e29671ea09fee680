// OPTIONS: --engine=cegas
// A violation inside a call that many share is told with the way through its callers.
extern void svf_assert(_Bool);

static int depth;

static void into(int *p, int n) {
    depth = depth + 1;
    if (n == 0) {
        svf_assert(*p != 5); // BUG: assertion
        return;
    }
    into(p, n - 1);
    depth = depth - 1;
}

static void write(int *p, int **q) { *q = p; }

int main(void) {
    int a = 4, b = 5, *r = 0;
    into(&a, 3);
    svf_assert(depth == 1); // SAFE: assertion
    write(&a, &r);
    *r = 9;
    svf_assert(a == 9); // SAFE: assertion
    into(&b, 2);
    svf_assert(a == 4); // SAFE: assertion
    return 0;
}
