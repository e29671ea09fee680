/* A copy from so many places that it is blurred: it still moves all that lies in what it reads. */
struct three { long gap; int *p; int *q; };
static int a, b, c;
#define ONE(n) static struct three n = { 1, &a, &b };
#define EIGHT(m, n) m(n##0) m(n##1) m(n##2) m(n##3) m(n##4) m(n##5) m(n##6) m(n##7)
#define MANY(m, n) EIGHT(m, n##0) EIGHT(m, n##1) EIGHT(m, n##2) EIGHT(m, n##3) EIGHT(m, n##4) EIGHT(m, n##5) EIGHT(m, n##6) EIGHT(m, n##7)
#define MORE(m, n) MANY(m, n##0) MANY(m, n##1) MANY(m, n##2) MANY(m, n##3) MANY(m, n##4) MANY(m, n##5) MANY(m, n##6) MANY(m, n##7)
#define MOST(m) MORE(m, s0) MORE(m, s1) MORE(m, s2) MORE(m, s3) MORE(m, s4) MORE(m, s5) MORE(m, s6) MORE(m, s7) MORE(m, s8)
MOST(ONE)
#define NAME(n) &n,
static struct three *all[] = { MOST(NAME) };
static struct three last = { 2, &b, &c }, out, wide[2];
static struct three *some(int n) { return n ? all[n] : &last; }
int main(void) {
  BORN(a); BORN(b); BORN(c);
  s8777.q = &c;
  out = *some(4607); observe(0, out.p); observe(1, out.q);
  out = *some(0); observe(2, out.p); observe(3, out.q);
  memcpy(&wide[1].p, &some(4607)->p, 2 * sizeof(int *)); observe(4, wide[1].p); observe(5, wide[1].q);
  char *d = (char *)&out.q, *s = (char *)&some(1)->p; for (size_t k = 0; k < sizeof(int *); k++) d[k] = s[k]; observe(6, out.q);
  unsigned *to = (unsigned *)&out.p, *from = (unsigned *)&some(0)->q; to[0] = from[0]; to[1] = from[1]; observe(7, out.p);
  return 0;
}
