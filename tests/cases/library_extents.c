// RULES: out-of-bounds
// FLAGS: -D_GNU_SOURCE
// How far functions of the library read and write that few programs call.
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <wchar.h>

static void searches(void) {
    char *two = malloc(2);
    two[0] = two[1] = 'a';
    index(two, 'a');
    strchrnul(two, 'b');      // BUG: out-of-bounds
    rawmemchr(two, 'a');
    memmem(two, 2, "b", 1);
    free(two);
}

static void found_behind(void) {
    char *two = malloc(2);
    two[0] = two[1] = 'a';
    rawmemchr(two, 'b'); // BUG: out-of-bounds
    free(two);
}

static void in_more_than_there_is(void) {
    char *two = malloc(2);
    two[0] = two[1] = 'a';
    memmem(two, 3, "b", 1); // BUG: out-of-bounds
    free(two);
}

static void copies(void) {
    char room[4];
    memccpy(room, "abcdef", 'd', 7);
    memccpy(room, "abcdef", 'e', 7); // BUG: out-of-bounds
}

static void padded(void) {
    char room[4];
    stpncpy(room, "ab", 4);
    stpncpy(room, "ab", 5); // BUG: out-of-bounds
}

static void wide(void) {
    wchar_t *two = malloc(2 * sizeof(wchar_t));
    two[0] = two[1] = L'a';
    wcsnlen(two, 2);
    wmemcmp(two, L"ab", 2);
    wcsncmp(two, L"aab", 3); // BUG: out-of-bounds
    free(two);
}

static void wide_copy(void) {
    wchar_t room[3];
    wcpcpy(room, L"ab");
    wcpcpy(room, L"abc"); // BUG: out-of-bounds
}

static void compared(void) {
    char *two = malloc(2);
    two[0] = two[1] = 'a';
    strcoll("aa", two); // BUG: out-of-bounds
    free(two);
}

static void as_much_as_it_takes(const struct tm *when) {
    char room[8];
    strftime(room, sizeof room, "%Y", when);
    strftime(room, 9, "%Y", when); // UNKNOWN: out-of-bounds
}

int main(int count, char **arguments) {
    (void)arguments;
    struct tm when = {0};
    switch (count) {
    case 1: searches(); break;
    case 2: found_behind(); break;
    case 3: in_more_than_there_is(); break;
    case 4: copies(); break;
    case 5: padded(); break;
    case 6: wide(); break;
    case 7: wide_copy(); break;
    case 8: compared(); break;
    default: as_much_as_it_takes(&when);
    }
    return 0;
}
