/* What gcc takes with a warning is taken here. */
struct point { int x; };
typedef int (*handler)(int);

add(a, b)
    int a;
    long b;
{
    return a + b;
}

static counter;
void takes_long(long *p) {}

int old(argc, argv)
    char **argv;
{
    struct point p = {1};
    int address = &p;
    char *text = 65;
    handler h = takes_long;
    unsigned *u = &p;
    undeclared(address, text);
    takes_long(u);
    add(1);
    register int r = puts("x");
    return h(counter) + r;
}

void returns_a_value(void) { return 1; }
int returns_nothing(void) { return; }
