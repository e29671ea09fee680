// RULES: out-of-bounds
// Where a pointer lies in its object, and how large that is at least, is known through fields, parameters and
// wrappers; one that was moved, one to something smaller and a size that was cut off are told apart.
#include <stdlib.h>
int __VERIFIER_nondet_int(void);
struct state { int mode; int table[4]; int last; };
struct stream { struct state *state; int *numbers; };

static void *get(unsigned char size) { return malloc(size); }
static void *get_all(unsigned long size) { return malloc(size); }

static void last(struct stream *stream)
{
    stream->state->mode = 1;
    stream->state->last = 2; // SAFE: out-of-bounds
}

static void last_of_some(struct state *state)
{
    state->mode = 1;
    state->last = 2; // BUG: out-of-bounds
}

static void moved(struct stream *stream, struct stream *alias, int by)
{
    stream->numbers = malloc(4 * sizeof(int));
    if (by >= 0 && by <= 3)
        alias->numbers += by;
    stream->numbers[0] = 1; // SAFE: out-of-bounds
    stream->numbers[1] = 1; // BUG: out-of-bounds
}

static void index_outside(struct state *state, int index)
{
    int *at = &state->table[index]; // BUG: out-of-bounds
    at[4] = 1; // BUG: out-of-bounds
}

int main(void)
{
    struct stream stream;
    stream.state = get_all(sizeof(struct state));
    if (!stream.state)
        return 0;
    last(&stream);
    switch (__VERIFIER_nondet_int()) {
    case 0:
        last_of_some(stream.state);
        break;
    case 1:
        last_of_some(malloc(sizeof(int)));
        break;
    case 2:
        moved(&stream, &stream, __VERIFIER_nondet_int());
        break;
    case 3:
        index_outside(stream.state, __VERIFIER_nondet_int());
        break;
    default: {
        // 256 and 4 more.
        int *cut = get(260);
        cut[0] = 1; // SAFE: out-of-bounds
        cut[8] = 1; // BUG: out-of-bounds
    }
    }
    return 0;
}
