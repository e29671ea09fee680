/* kvtool KEY=VALUE KEY: takes the setting in, prints the value of the key. */
#include "kv.h"

#include <stdio.h>

static const char *message(enum kv_status status)
{
    switch (status) {
    case KV_OK:
        return "fine";
    case KV_FULL:
        return "too many settings";
    case KV_SYNTAX:
        return "not of the form key=value";
    case KV_MEMORY:
        return "out of memory";
    }
    return "unknown";
}

int main(int argc, char **argv)
{
    struct kv_table table;
    int result = 0;

    if (argc != 3) {
        fprintf(stderr, "usage: kvtool KEY=VALUE KEY\n");
        return 2;
    }
    kv_init(&table);
    enum kv_status status = kv_parse(&table, argv[1]);
    if (status != KV_OK) {
        fprintf(stderr, "kvtool: %s: %s\n", argv[1], message(status));
        result = 1;
    }
    const char *value = kv_get(&table, argv[2]);
    if (value)
        printf("%s\n", value);
    else
        result = 1;
    kv_clear(&table);
    return result;
}
