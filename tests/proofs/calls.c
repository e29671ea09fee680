extern unsigned __VERIFIER_nondet_uint(void);
void reach_error(void) {}

static unsigned sum(unsigned m, unsigned n) {
  if (n == 0)
    return m;
  return sum(m + 1, n - 1);
}

int main(void) {
  unsigned m = __VERIFIER_nondet_uint(), n = __VERIFIER_nondet_uint();
  if (m > 100000 || n > 100000)
    return 0;
  if (sum(m, n) != m + n)
    reach_error();
  return 0;
}
