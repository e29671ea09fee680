/* Single instructions on registers give back what they are given. */
static int a, b;
struct holder { int *p; int *q; };
static int *through(int *p) { __asm__ volatile("nop" : "+r"(p)); return p; }
static int *turned(int *p) {
  word x = (word)p;
  __asm__("bswap %0" : "+r"(x));
  __asm__("bswap %0" : "+r"(x));
  return (int *)x;
}
int main(void) {
  BORN(a); BORN(b);
  struct holder h = { &a, &b };
  __asm__ volatile("pause" ::: "memory");
  word last;
  __asm__("bsr %1, %0" : "=r"(last) : "r"((word)8));
  int *p = through(last == 3 ? h.p : h.q), *q = turned(h.q);
  observe(0, p); observe(1, q);
  __asm__ volatile("rep; nop" : "+r"(p), "+r"(q));
  observe(2, p); observe(3, q);
  int **place = &h.p;
  /* Not a single known instruction. */
  __asm__ volatile("movq %1, (%0)" : : "r"(place), "r"(&b) : "memory");
  observe(4, h.p);
  return 0;
}
