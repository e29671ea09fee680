// What C says of results is only their sign, of short numbers in formats only their low bits.
#include <assert.h>
#include <stdio.h>
#include <string.h>
extern char __VERIFIER_nondet_char(void);
int isalpha(int);

int main(void) {
    char text[2] = {__VERIFIER_nondet_char(), 0}, shown[50];
    if (text[0] == 'c') {
        assert(strcmp(text, "a") > 0);  // SAFE: assertion
        assert(strcmp(text, "a") == 1); // UNKNOWN: assertion
        assert(memcmp(text, "d", 1) < 0); // SAFE: assertion
        assert(isalpha(text[0]));       // SAFE: assertion
        assert(isalpha(text[0]) == 1);  // UNKNOWN: assertion
    }
    sprintf(shown, "%hd", 70000);
    assert(strcmp(shown, "4464") == 0); // SAFE: assertion
    sprintf(shown, "%02hhx", -1);
    assert(strcmp(shown, "ff") == 0); // SAFE: assertion
    sprintf(shown, "%040d", -5);
    assert(shown[0] == '-' && shown[1] == '0' && shown[40] == 0); // SAFE: assertion
    char c;
    if (scanf(" %c", &c) == 1)
        assert(c != ' '); // UNKNOWN: assertion
    if (getchar() == EOF)
        assert(feof(stdin) || ferror(stdin)); // UNKNOWN: assertion
    char part[4] = "abc";
    FILE *file = fopen("a", "r");
    if (file && fread(part, 4, 1, file) == 0)
        assert(part[0] == 'a'); // BUG: assertion
    return 0;
}
