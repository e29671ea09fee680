// What a linker sees: thread-locals, aliases, weak and common symbols, constructors.
_Thread_local int counter = 3;
static _Thread_local int own;
int shared;
extern int elsewhere;
__attribute__((weak)) int perhaps(void) { return 1; }
__attribute__((weak)) extern int maybe_missing(void);
int real(int x) { return x + counter + own + elsewhere; }
int other_name(int x) __attribute__((alias("real")));
extern int also_shared __attribute__((alias("shared")));

__attribute__((constructor(200))) static void early(void) { shared = 1; }
__attribute__((constructor)) static void later(void) { shared++; }
__attribute__((destructor)) static void last(void) { shared = 0; }

int main(void) {
    counter++;
    return other_name(also_shared) + (maybe_missing ? maybe_missing() : perhaps());
}
