/* Pointers put together from two halves by a sum, and moved by a number that was narrower. */
static char area[256];
static unsigned int high, low;
static unsigned short step = 8;
static word kept;

static word joined(unsigned int h, unsigned int l) {
  return ((word)h << 32) + l;
}

int main(void) {
  BORN(area);
  high = (unsigned int)((word)area >> 16 >> 16);
  low = (unsigned int)(word)area;
  if (sizeof(word) == 8) observe(0, (char *)joined((unsigned int)((word)area >> 16 >> 16), (unsigned int)(word)area));
  kept = (word)area;
  kept = kept + step;
  kept = step + kept;
  observe(1, (char *)kept);
  kept -= step;
  observe(2, (char *)kept);
  return 0;
}
