// A function that reads its own variable arguments, and one that calls it.
#include <stdarg.h>

int sum(int n, ...) {
    va_list list;
    va_start(list, n);
    int total = 0;
    while (n--) total += va_arg(list, int);
    va_end(list);
    return total;
}

double last(int n, ...) {
    va_list list, copy;
    va_start(list, n);
    va_copy(copy, list);
    double d = va_arg(copy, double);
    va_end(copy);
    va_end(list);
    return d;
}

int call(void) { return sum(3, 1, 2, 3) + (int)last(1, 2.5); }
