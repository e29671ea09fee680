// RULES: out-of-bounds,use-after-free,null-deref
// Arrays and variables of functions: indices, scopes, frames.
#include <string.h>
struct pair { int left[4]; int right; };

static int *frame(void)
{
    int local = 1;
    return &local;
}

static int sum(const int *a, int n)
{
    int total = 0;
    for (int i = 0; i < n; i++)
        total += a[i]; // BUG: out-of-bounds
    return total;
}

int main(int argc, char **argv)
{
    int a[8] = {0};
    struct pair p = {{0}, 0};
    char text[4];
    a[7] = 1; // SAFE: out-of-bounds
    if (argc == 2)
        a[argc + 6] = 1; // BUG: out-of-bounds
    if (argc == 3)
        p.left[argc + 1] = 2; // BUG: out-of-bounds
    if (argc == 4)
        strcpy(text, "four"); // BUG: out-of-bounds
    if (argc == 5)
        strcpy(text, "abc"); // SAFE: out-of-bounds
    if (argc == 6)
        return sum(a, 8);
    if (argc == 7)
        return sum(a, 9);
    if (argc == 8)
        return *frame(); // BUG: use-after-free
    if (argc == 9) {
        int *inner;
        {
            int scoped = 3;
            inner = &scoped;
        }
        return *inner; // BUG: use-after-free
    }
    if (argc > 20)
        return argv[20][0]; // SAFE: null-deref
    if (argc < 20)
        return argv[argc] == 0 ? 0 : argv[argc][0]; // SAFE: null-deref
    return argv[argc][0]; // BUG: null-deref
}
