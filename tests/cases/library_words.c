// Words of a text, one after the other.
#include <string.h>
#include <strings.h>

extern void __VERIFIER_assert(int);

int main(void) {
    char text[] = ",a,;bc,", *rest;
    char *first = strtok(text, ",;");
    __VERIFIER_assert(first == text + 1 && strcmp(first, "a") == 0); // SAFE: assertion
    char *second = strtok(0, ",;");
    __VERIFIER_assert(strcmp(second, "bc") == 0 && second == text + 4); // SAFE: assertion
    __VERIFIER_assert(strtok(0, ",;") == 0); // SAFE: assertion
    char other[] = "x y";
    __VERIFIER_assert(strtok_r(other, " ", &rest) == other && *rest == 'y'); // SAFE: assertion
    __VERIFIER_assert(strtok_r(0, " ", &rest) == other + 1); // BUG: assertion
    __VERIFIER_assert(*strpbrk("hello", "xl") == 'l' && strpbrk("hello", "z") == 0); // SAFE: assertion
    __VERIFIER_assert(strcasecmp("AbC", "aBc") == 0 && strncasecmp("abX", "ABy", 2) == 0); // SAFE: assertion
    return 0;
}
