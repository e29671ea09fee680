// RULES: uninit-read
// A choice between two values is a decision, however it is compiled.
extern int __VERIFIER_nondet_int(void);

static int parse(int c, int *out)
{
    if (c < '0' || c > '9')
        return -1;
    *out = c - '0';
    return 0;
}

static int is_large(int c)
{
    int v;
    parse(c, &v);
    return v > 5 ? 1 : 0; // BUG: uninit-read
}

static int is_large_digit(int c)
{
    int v;
    if (parse(c, &v) != 0)
        return 0;
    return v > 5 ? 1 : 0; // SAFE: uninit-read
}

static int copied(int set)
{
    int u, v = 0;
    if (!set)
        return 0;
    int w = set > 1 ? v : u; // SAFE: uninit-read
    return set > 1 ? w : 1; // SAFE: uninit-read
}

int main(void)
{
    int c = __VERIFIER_nondet_int();
    is_large_digit(c);
    copied(c);
    is_large(c);
    return 0;
}
