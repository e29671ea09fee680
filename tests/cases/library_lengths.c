// RULES: null-deref,out-of-bounds
#include <stddef.h>
#include <string.h>

void fill(char *buf, size_t n) {
    for (size_t i = 0; i < n; i++)
        buf[i] = 0; // SAFE: out-of-bounds
}

void fill_too_much(char *buf, size_t n) {
    for (size_t i = 0; i <= n; i++)
        buf[i] = 0; // BUG: out-of-bounds
}

int sum(const int *a, int n) {
    int s = 0;
    for (int i = 0; i < n; i++)
        s ^= a[i]; // SAFE: out-of-bounds
    return s;
}

void clear(void *p, size_t n) {
    if (n == 4) memset(p, 0, n); // SAFE: out-of-bounds
}

void clear_more(void *p, size_t n) {
    if (n == 4) {
        memset(p, 0, n);
        ((char *)p)[4] = 1; // BUG: out-of-bounds
    }
}

int second_of(const char *s) {
    if (!s[0]) return 0;
    return s[1]; // SAFE: out-of-bounds
}

char behind_the_end(const char *s) {
    size_t n = strlen(s);
    if (n != 3) return 0;
    return s[n + 1]; // BUG: out-of-bounds
}

// An index that is not compared with it says nothing about the length.
char at(const unsigned char *p, size_t i) {
    return p[i]; // UNKNOWN: out-of-bounds
}
