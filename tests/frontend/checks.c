// What C leaves undefined is a check at its place; an uninitialised variable is one arbitrary value.
int arithmetic(int a, int b) {
    int x = a + b;
    x -= a * b;
    x = -x;
    x++;
    return x;
}

int division(int a, int b) { return a / b + a % b; }
unsigned plain_division(unsigned a, unsigned b) { return a / b; }
int shifts(int a, unsigned n) { return a << n | a >> n; }

int bounds(int i) {
    int a[4] = {1, 2, 3, 4};
    return a[i];
}

int uninitialised(int c) {
    int x, *p;
    if (c) x = 1;
    if (c) p = &x;
    return *p + x + x;
}

int falls_off(int c) {
    if (c) return 1;
}
