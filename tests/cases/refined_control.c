// OPTIONS: --engine=cegas
// Abstraction refinement: function pointers, recursion, loops that do not matter, and code behind exit.
#include <assert.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);

static int state;
static void on(void) { state = 1; }
static void off(void) { state = 2; }
static void (*const actions[])(void) = {on, off};

static int depth(int n) { return n == 0 ? 0 : 1 + depth(n - 1); }

static void closing(void) {
  assert(state == 2); // SAFE: assertion
}

static int find(int *list, int length, int wanted) {
  for (int i = 0; i < length; i++)
    if (list[i] == wanted)
      return i;
  return -1;
}

int main(void) {
  atexit(closing);
  int turns = 0;
  while (__VERIFIER_nondet_int())
    turns = 1 - turns;
  actions[0]();
  assert(state == 1); // SAFE: assertion
  assert(depth(12) == 12); // SAFE: assertion
  int list[] = {4, 8, 15};
  assert(find(list, 3, 15) == 2); // SAFE: assertion
  assert(turns == 0 || turns == 1); // SAFE: assertion
  void (*next)(void) = actions[state];
  next();
  switch (state) {
  case 1:
    assert(0); // SAFE: assertion
  case 2:
    if (turns)
      exit(0);
    break;
  default:
    abort();
  }
  assert(turns == 0); // SAFE: assertion
  assert(turns); // BUG: assertion
}
