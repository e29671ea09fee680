// RULES: div-by-zero,null-deref
// What is changed before a jump from function to function is changed behind it.
#include <setjmp.h>

static jmp_buf place;
static int d = 1, one = 1;
static int *p = &one;

static int use(void)
{
    return *p / d; // UNKNOWN: div-by-zero // UNKNOWN: null-deref
}

static void jump(void)
{
    d = 0;
    p = 0;
    longjmp(place, 1);
}

static int try_it(void)
{
    d = 1;
    p = &one;
    if (setjmp(place) == 0)
        jump();
    return use();
}

int main(void)
{
    return try_it();
}
