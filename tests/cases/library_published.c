// RULES: assertion,div-by-zero
// A library: what it gives away is called and changed by others, whatever its name.
#include <assert.h>

struct operations {
    int (*divide)(int, int);
};

void subscribe(int (*)(int, int));

static int in_table(int a, int b)
{
    return a / b; // BUG: div-by-zero
}

static int in_hidden_table(int a, int b)
{
    return a / b; // BUG: div-by-zero
}

static int given(int a, int b)
{
    return a / b; // BUG: div-by-zero
}

static int subscribed(int a, int b)
{
    return a / b; // BUG: div-by-zero
}

static int called_inside(int a, int b)
{
    return a / b; // SAFE: div-by-zero
}

const struct operations operations = {in_table};
static const struct operations hidden = {in_hidden_table};

const struct operations *get(void)
{
    return &hidden;
}

void fill(struct operations *to)
{
    to->divide = given;
}

void begin(void)
{
    subscribe(subscribed);
}

static int apply(int (*f)(int, int), int a)
{
    return f(a, 3);
}

int third(int x)
{
    return apply(called_inside, x);
}

static int seen = 3;
int *const leads_there = &seen;
static int unseen = 3;

int check(int x)
{
    assert(seen == 3); // UNKNOWN: assertion
    assert(unseen == 3); // SAFE: assertion
    return x;
}

__attribute__((weak)) int replaced(void)
{
    return 1;
}

int ask(int x)
{
    assert(replaced() == 1); // UNKNOWN: assertion
    return x;
}
