extern unsigned __VERIFIER_nondet_uint(void);
void reach_error(void) {}
int all[5000];

int main(void) {
  unsigned n = __VERIFIER_nondet_uint();
  if (n > 5000)
    return 0;
  for (unsigned i = 0; i < n; i++)
    all[i] = 7;
  for (unsigned i = 0; i < n; i++)
    if (all[i] != 7)
      reach_error();
  return 0;
}
