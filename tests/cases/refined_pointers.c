// OPTIONS: --engine=cegas
// Abstraction refinement: which of several variables a pointer means decides, and weak updates would not do.
#include <assert.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);

struct pair {
  int *first, *second;
};

static void put(int *where, int what) { *where = what; }

static int total(const int *from, int count) {
  int sum = 0;
  for (int i = 0; i < count; i++)
    sum += from[i];
  return sum;
}

int main(void) {
  int a = 1, b = 2, c = 3;
  struct pair pair = {&a, &b};
  int **which = __VERIFIER_nondet_int() ? &pair.first : &pair.second;
  *which = &c;
  put(&c, 7);
  assert(*pair.first == 7 || *pair.second == 7); // SAFE: assertion
  assert(a == 1 && b == 2); // SAFE: assertion
  assert(*pair.first == 7); // BUG: assertion

  int numbers[4] = {1, 2, 3, 4};
  put(&numbers[2], 10);
  assert(total(numbers, 4) == 17); // SAFE: assertion

  int *heap = malloc(2 * sizeof *heap);
  heap[0] = 5;
  heap[1] = heap[0] + 1;
  assert(heap[1] == 6); // SAFE: assertion
  free(heap);
  int *other = malloc(sizeof *other);
  *other = 1;
  assert(*other != 1); // BUG: assertion
}
