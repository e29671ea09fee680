// RULES: uninit-read
// What a function is given was set, also if the function takes its parameter's address.
static int looks(int x)
{
    int *p = &x;
    return p != 0;
}

struct padded {
    char c;
    int i;
};

static int whole(struct padded s)
{
    struct padded *p = &s;
    return p->i;
}

int main(void)
{
    int u;
    struct padded s;
    s.c = 1;
    s.i = 2;
    if (whole(s) == 2)
        return looks(u); // BUG: uninit-read
    return 0;
}
