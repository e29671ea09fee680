// OPTIONS: --timeout 40
// RULES: out-of-bounds
// Texts of any length that end in a zero which was put there: a look for it stays inside.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

static int same(const char *a, const char *b)
{
    while (*a != '\0' && *a == *b) { // SAFE: out-of-bounds
        a++;
        b++;
    }
    return *a == *b; // SAFE: out-of-bounds
}

static char *first_of(const char *text, const char *wanted)
{
    for (; *text != '\0'; text++) // SAFE: out-of-bounds
        for (const char *w = wanted; *w != '\0'; w++) // SAFE: out-of-bounds
            if (*w == *text) // SAFE: out-of-bounds
                return (char *)text;
    return NULL;
}

static unsigned long length(const char *text)
{
    const char *end = text;
    while (*end != '\0') // BUG: out-of-bounds
        end++;
    return end - text;
}

int main(void)
{
    int n = __VERIFIER_nondet_int(), m = __VERIFIER_nondet_int();
    if (n < 1 || m < 1)
        return 0;
    char *a = malloc(n), *b = malloc(m);
    a[n - 1] = '\0'; // SAFE: out-of-bounds
    b[m - 1] = '\0'; // SAFE: out-of-bounds
    int result = 0;
    if (__VERIFIER_nondet_int())
        result = same(a, b);
    else if (__VERIFIER_nondet_int())
        result = first_of(a, b) != NULL;
    else {
        a[n - 1] = 'x'; // SAFE: out-of-bounds
        result = length(a) > 3;
    }
    free(a);
    free(b);
    return result;
}
