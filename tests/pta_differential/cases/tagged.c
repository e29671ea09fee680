/* A pointer's low bit holds a flag while it lies in a table of integers. */
static int a, b;
static word table[2];
int main(void) {
  BORN(a); BORN(b);
  table[0] = (word)&a | 1;
  table[1] = (word)&b;
  for (int k = 0; k < 2; k++) observe(0, (int *)(table[k] & ~(word)1));
  return 0;
}
