/* A small table of settings: read from `key=value` texts, asked by key. */
#ifndef KV_H
#define KV_H

#include <stddef.h>

enum { KV_KEY_MAX = 8, KV_VALUE_MAX = 8, KV_ENTRIES_MAX = 4 };

struct kv_entry {
    char key[KV_KEY_MAX];
    char *value;
};

struct kv_table {
    struct kv_entry entries[KV_ENTRIES_MAX];
    size_t count;
};

enum kv_status { KV_OK, KV_FULL, KV_SYNTAX, KV_MEMORY };

/* table.c */
void kv_init(struct kv_table *table);
void kv_clear(struct kv_table *table);
enum kv_status kv_put(struct kv_table *table, const char *key, char *value);
const char *kv_get(const struct kv_table *table, const char *key);
int kv_remove(struct kv_table *table, const char *key);

/* parse.c */
enum kv_status kv_parse(struct kv_table *table, const char *text);

#endif
