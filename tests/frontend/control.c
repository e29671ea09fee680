// Where control can go: switches, jumps by value, calls through pointers, jumps out of a call, scopes, assembler.
#include <setjmp.h>

int pick(int x) {
    switch (x) {
    case 1: return 10;
    case 2 ... 4: x++;  // falls through
    case 9: return x;
    default: return 0;
    }
}

int interpret(const unsigned char *code) {
    static void *const table[] = {&&add, &&stop};
    int n = 0;
    goto *table[*code];
add:
    n++;
    goto *table[*++code];
stop:
    return n;
}

static int twice(int x) { return 2 * x; }
static int half(int x) { return x / 2; }
int (*const operations[])(int) = {twice, half};
int apply(int which, int x) { return operations[which & 1](x); }
int through(int (*f)(int, ...), int x) { return f(x); }

jmp_buf place;
int guarded(void (*f)(void)) {
    if (setjmp(place)) return -1;
    f();
    longjmp(place, 1);
}

int *escapes(int n) {
    int *last = 0;
    for (int i = 0; i < n; i++) {
        int local = i;
        last = &local;
    }
    return last;
}

int machine(int x) {
    __asm__("bswap %0" : "+r"(x));
    return x;
}

int trap(int x) {
    if (x) __builtin_trap();
    __builtin_unreachable();
}
