// RULES: null-deref
// What the compiler's own setjmp comes back to a second time is not what it was.
static void *place[5];
static int number, *pointer;

static int twice(void) {
    pointer = &number;
    if (__builtin_setjmp(place))
        return *pointer; // UNKNOWN: null-deref
    pointer = 0;
    __builtin_longjmp(place, 1);
}

int main(void) {
    return twice();
}
