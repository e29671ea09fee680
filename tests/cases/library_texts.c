// Corners of functions that read texts.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

extern void __VERIFIER_assert(int);

int main(void) {
    const char *hex = "0x", *far = "0x1g";
    char *end;
    __VERIFIER_assert(strtol(hex, &end, 16) == 0 && end == hex + 1); // SAFE: assertion
    __VERIFIER_assert(strtol(far, &end, 0) == 1 && end == far + 3); // SAFE: assertion
    char line[4] = "abc";
    __VERIFIER_assert(fgets(line, 1, stdin) == line && line[0] == 0 && line[1] == 'b'); // SAFE: assertion
    int number = 5;
    if (scanf("%2d", &number) == 1)
        __VERIFIER_assert(number <= 99); // UNKNOWN: assertion
    __VERIFIER_assert(number != 7); // UNKNOWN: assertion
    return 0;
}
