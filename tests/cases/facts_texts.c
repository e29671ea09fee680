// RULES: null-deref,out-of-bounds,use-after-free,uninit-read
// Texts that nobody writes to, in variables, tables and parameters; one without an end and an entry that is missing.
#include <stdio.h>
int __VERIFIER_nondet_int(void);

static const char *const names[] = {"zero", "one", "two"};
static const char *const some[] = {"zero", 0, "two"};
static const char endless[3] = {'a', 'b', 'c'};
static const char *chosen = "none";

static void say(const char *text)
{
    fputs(text, stdout); // SAFE: out-of-bounds
}

static void say_any(const char *text)
{
    fputs(text, stdout); // BUG: out-of-bounds
}

int main(void)
{
    unsigned index = __VERIFIER_nondet_int() % 3u;
    say("text");
    say(names[index]);
    if (__VERIFIER_nondet_int())
        chosen = "some";
    say(chosen);
    switch (__VERIFIER_nondet_int()) {
    case 0:
        say_any("text");
        break;
    case 1:
        say_any(endless);
        break;
    case 2:
        fputs(some[index], stdout); // BUG: null-deref
        break;
    default:
        return fgetc(stdin); // SAFE: use-after-free
    }
    return 0;
}
