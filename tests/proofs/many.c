extern unsigned __VERIFIER_nondet_uint(void);
void reach_error(void) {}
#define BIT(i) if (x & (1u << (i))) count++;
#define FOUR(i) BIT(i) BIT((i) + 1) BIT((i) + 2) BIT((i) + 3)

int main(void) {
  unsigned x = __VERIFIER_nondet_uint(), count = 0;
  FOUR(0) FOUR(4) FOUR(8) FOUR(12) FOUR(16) FOUR(20)
  if (count > 24)
    reach_error();
  return 0;
}
