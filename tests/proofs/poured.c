extern unsigned __VERIFIER_nondet_uint(void);
void reach_error(void) {}

struct jug {
  unsigned full, spilt;
};

static unsigned calls;

static void pour(struct jug *from, unsigned n) {
  calls++;
  if (n == 0)
    return;
  from->full--;
  from->spilt++;
  pour(from, n - 1);
  calls--;
}

int main(void) {
  struct jug jug = {__VERIFIER_nondet_uint(), 5};
  unsigned n = __VERIFIER_nondet_uint(), full = jug.full;
  pour(&jug, n);
  if (jug.full + jug.spilt != full + 5 || jug.full + n != full || calls != 1)
    reach_error();
  return 0;
}
