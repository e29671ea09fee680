extern unsigned __VERIFIER_nondet_uint(void);
void reach_error(void) {}
#define BIT(i) if (x & (1u << (i))) count++;
#define FOUR(i) BIT(i) BIT((i) + 1) BIT((i) + 2) BIT((i) + 3)

int main(void) {
  unsigned most = 0;
  while (__VERIFIER_nondet_uint()) {
    unsigned x = __VERIFIER_nondet_uint(), count = 0;
    FOUR(0) FOUR(4) FOUR(8) FOUR(12)
    if (count > most)
      most = count;
  }
  if (most > 16)
    reach_error();
  return 0;
}
