/* Fills the table with the letters from `a` on and asks for them again. */
#include "kv.h"

#include <assert.h>
#include <stdlib.h>

static char *text(char letter)
{
    char *result = malloc(2);
    if (result) {
        result[0] = letter;
        result[1] = '\0';
    }
    return result;
}

int main(void)
{
    struct kv_table table;
    size_t taken = 0;

    kv_init(&table);
    for (char letter = 'a'; letter < 'a' + KV_ENTRIES_MAX + 2; letter++) {
        char key[] = { letter, '\0' };
        char *value = text(letter);
        if (!value)
            return 2;
        if (kv_put(&table, key, value) == KV_OK)
            taken++;
        else
            free(value);
    }
    assert(taken == KV_ENTRIES_MAX);
    kv_clear(&table);
    return 0;
}
