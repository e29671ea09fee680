// What library functions return is within what their manuals say, and what follows from things that nobody looks at
// here is in doubt.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

extern void __VERIFIER_assert(int);

int main(void) {
    int c = getchar();
    __VERIFIER_assert(c >= -1 && c <= 255); // SAFE: assertion
    __VERIFIER_assert(c != 'q'); // BUG: assertion
    __VERIFIER_assert(fgetc(stdin) != -1); // BUG: assertion
    int put = putchar('x');
    __VERIFIER_assert(put == 'x' || put == -1); // SAFE: assertion
    long written = write(1, "abc", 3);
    __VERIFIER_assert(written >= -1 && written <= 3); // SAFE: assertion
    __VERIFIER_assert(written == 3); // BUG: assertion
    __VERIFIER_assert(fwrite("ab", 1, 2, stdout) <= 2); // SAFE: assertion
    long huge = write(1, "abc", (size_t)-1);
    __VERIFIER_assert(huge == -1); // BUG: assertion
    int closed = fclose(stdin);
    __VERIFIER_assert(closed == 0 || closed == -1); // SAFE: assertion
    __VERIFIER_assert(closed == 0); // BUG: assertion
    __VERIFIER_assert(open("x", O_RDONLY) >= -1); // SAFE: assertion
    long drawn = random();
    __VERIFIER_assert(drawn >= 0 && drawn <= 2147483647); // SAFE: assertion
    __VERIFIER_assert(drawn < 2000000000); // BUG: assertion
    __VERIFIER_assert(getpid() > 0); // SAFE: assertion
    int printed = printf("two");
    __VERIFIER_assert(printed <= 3); // UNKNOWN: assertion
    __VERIFIER_assert(time(0) > 1000); // UNKNOWN: assertion
    errno = 0;
    FILE *file = fopen("x", "r");
    __VERIFIER_assert(errno == 0); // UNKNOWN: assertion
    __VERIFIER_assert(file != 0 || errno != 0); // UNKNOWN: assertion
    return 0;
}
