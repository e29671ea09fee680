// RULES: out-of-bounds,null-deref,use-after-free,uninit-read
// What library functions read and write, where a format, the input or another argument says how much.
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
extern int __VERIFIER_nondet_int(void);

static void words(void) {
    char word[8];
    switch (__VERIFIER_nondet_int()) {
    case 0: scanf("%s", word); break;  // UNKNOWN: out-of-bounds
    case 1: scanf("%7s", word); break; // SAFE: out-of-bounds
    case 2: scanf("%8s", word); break; // UNKNOWN: out-of-bounds
    default: scanf("%9[a-z]", word);   // UNKNOWN: out-of-bounds
    }
}

static void numbers(void) {
    int x, y = 0;
    sscanf("abc", "%d", &x);
    if (x > 3) // UNKNOWN: uninit-read
        y = 1;
    printf("%d", y);
}

static void long_number(void) {
    double small[1];
    scanf("%Lf", (long double *)small); // BUG: out-of-bounds
}

static void formats(void) {
    char text[3] = {'a', 'b', 'c'}, *null = 0;
    printf("%.3s", text);   // SAFE: out-of-bounds
    printf("%.*s", 3, text); // UNKNOWN: out-of-bounds // UNKNOWN: uninit-read
    printf("%.*s", 4, null); // UNKNOWN: null-deref
    printf("%s", text);     // BUG: out-of-bounds
}

static void said(const char *format, ...) {
    va_list list;
    va_start(list, format);
    vprintf(format, list); // UNKNOWN: null-deref // UNKNOWN: out-of-bounds // UNKNOWN: uninit-read // UNKNOWN: use-after-free
    va_end(list);
}

static void unset(void) {
    char text[4], more[4];
    strcpy(text, "abc");
    puts(text); // SAFE: uninit-read
    puts(more); // BUG: out-of-bounds // BUG: uninit-read
}

static void written(void) {
    char bytes[4];
    fwrite(bytes, 1, 4, stdout); // BUG: uninit-read
}

static void padded(void) {
    struct {
        char c;
        int i;
    } pair;
    pair.c = 'c';
    pair.i = 1;
    fwrite(&pair, sizeof pair, 1, stdout); // UNKNOWN: uninit-read
}

static void closed(void) {
    FILE *file = fopen("a", "r");
    if (!file)
        return;
    fgetc(file); // SAFE: use-after-free
    fclose(file); // SAFE: use-after-free
    fclose(file); // BUG: use-after-free
}

static void not_open(void) {
    char bytes[4];
    FILE *file = fopen("a", "r");
    fread(bytes, 1, 4, file); // BUG: null-deref
}

static void called(int n) {
    void (*function)(void) = n ? unset : 0;
    function(); // BUG: null-deref
}

int main(void) {
    switch (__VERIFIER_nondet_int()) {
    case 0: words(); break;
    case 1: numbers(); break;
    case 2: formats(); break;
    case 3: said("%s", "text"); break;
    case 4: unset(); break;
    case 5: written(); break;
    case 6: padded(); break;
    case 7: closed(); break;
    case 8: not_open(); break;
    case 9: long_number(); break;
    default: called(__VERIFIER_nondet_int());
    }
    return 0;
}
