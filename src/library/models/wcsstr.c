#include <stddef.h>

wchar_t *wcsstr(const wchar_t *text, const wchar_t *word)
{
    for (;; text++) {
        size_t i = 0;
        while (word[i] != 0 && text[i] == word[i])
            i++;
        if (word[i] == 0)
            return (wchar_t *)text;
        if (*text == 0)
            return NULL;
    }
}
