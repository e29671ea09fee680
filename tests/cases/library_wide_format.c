// RULES: out-of-bounds
// A format of wide characters says as much as another.
#include <stdlib.h>
#include <wchar.h>

static void ended(void) {
    wchar_t *text = malloc(2 * sizeof(wchar_t));
    text[0] = L'a';
    text[1] = 0;
    wprintf(L"%ls\n", text); // SAFE: out-of-bounds
    free(text);
}

static void not_ended(void) {
    wchar_t *text = malloc(2 * sizeof(wchar_t));
    text[0] = text[1] = L'a';
    wprintf(L"%d %ls", 1, text); // BUG: out-of-bounds
    free(text);
}

int main(void) {
    ended();
    not_ended();
    return 0;
}
