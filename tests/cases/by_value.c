#include <assert.h>

struct big { int v[10]; };
struct small { short a; float f; };

static struct big change(struct big b) { b.v[3] = 9; return b; }
static struct small half(struct small s) { s.f /= 2; s.a = -s.a; return s; }

int main(void) {
    struct big one = {{0, 1, 2, 3}}, two = change(one);
    assert(one.v[3] == 3 && two.v[3] == 9 && two.v[2] == 2); // SAFE: assertion
    struct small s = half((struct small){5, 3.0f});
    assert(s.a == -5 && s.f == 1.5f); // SAFE: assertion
    assert(one.v[3] == two.v[3]); // BUG: assertion
    return 0;
}
