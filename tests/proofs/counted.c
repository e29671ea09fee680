extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
void reach_error(void) {}
struct { int turns, left; } state;
unsigned char low;

static int steps(int n) {
  int i = 0;
  do {
    i += 2;
  } while (i < n);
  return i;
}

int main(void) {
  unsigned n = __VERIFIER_nondet_uint();
  if (n > 100000)
    return 0;
  unsigned i = 0, sum = 0;
  state.left = (int)n;
  while (i < n) {
    sum += 3;
    i++;
    state.turns++;
    state.left--;
    low += 4;
  }
  if (sum != 3 * n || state.turns != (int)n || state.left != 0 || (low & 1))
    reach_error();
  int m = __VERIFIER_nondet_int();
  if (m > 1000000)
    return 0;
  if (steps(m) % 2 != 0)
    reach_error();
  for (int k = 0; k < m; k++) {
    if (k >= 1000000)
      reach_error();
  }
  return 0;
}
