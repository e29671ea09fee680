/* Loops that store less than they load, beside copies that count in two ways. */
static int a, b, c;
struct mixed { int numbers[4]; int *p; unsigned char bytes[16]; int *q; };
static struct mixed from = { { 1, 2, 3, 4 }, &a, { 5 }, &b }, to;
static void narrow(unsigned char *bytes, const int *numbers, int n) { for (int k = 0; k < n; k++) bytes[k * 2] = (unsigned char)numbers[k]; }
int main(void) {
  BORN(a); BORN(b); BORN(c);
  narrow(to.bytes, from.numbers, 4);
  char *d = (char *)&to, *s = (char *)&from;
  for (size_t k = 0, j = sizeof to; k < sizeof to; k++) d[sizeof to - j--] = s[k];
  observe(0, to.p); observe(1, to.q);
  unsigned half[2 * sizeof(word)];
  word whole[2] = { (word)&a, (word)&c };
  for (int k = 0; k < 2; k++) { half[2 * k] = (unsigned)whole[k]; half[2 * k + 1] = (unsigned)(whole[k] >> 32); }
  word back; memcpy(&back, half + 2, sizeof back);
  observe(2, (int *)back);
  struct { unsigned lo, hi; } parts[2]; word *into = (word *)parts;
  for (int k = 0; k < 2; k++) { parts[k].lo = (unsigned)whole[k]; parts[k].hi = (unsigned)(whole[k] >> 32); }
  observe(3, (int *)into[1]);
  return 0;
}
