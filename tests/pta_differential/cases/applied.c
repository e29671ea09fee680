/* Functions that call what they are given have a copy for each call: recursive ones, with `...`, with locals that
   outlive the call in the callee's hands, called by name and through pointers. */
static int a, b, c;
static int **kept;
static int *give(void *to, int *p) { int *old = *(int **)to; *(int **)to = p; return old; }
static int *keep(void *to, int *p) { kept = to; return p; }
static int *fresh(void *to, int *p) { int **made = ALLOC(sizeof *made); *made = p; kept = made; return *(int **)to; }
static int *apply(int *(*f)(void *, int *), void *to, int *p) {
  static int *before;
  int *own = p;
  int *got = f(to, p);
  f(&own, before);
  before = got;
  return own ? own : got;
}
static int *deep(int n, int *(*f)(void *, int *), void *to, int *p) {
  int *own = p;
  if (n == 0) return f(to, p);
  int *got = deep(n - 1, f, &own, f(to, p));
  observe(0, own); observe(1, got);
  return got;
}
static int *various(int *(*f)(void *, int *), int *p, ...) {
  va_list list; va_start(list, p);
  int **to = va_arg(list, int **), *q = va_arg(list, int *);
  va_end(list);
  return f(to, q ? q : p);
}
static int *twice(int *(*f)(void *, int *), void *to, int *p) { return apply(f, to, apply(f, to, p)); }
int main(void) {
  BORN(a); BORN(b); BORN(c);
  int *x = &a, *y = &b, *z = &c;
  observe(2, apply(give, &x, &b)); observe(3, x);
  observe(4, apply(give, &y, &c)); observe(5, y);
  observe(6, deep(3, give, &z, &a)); observe(7, z);
  observe(8, various(give, &a, &x, &c)); observe(9, x);
  observe(10, twice(give, &y, &a)); observe(11, y);
  observe(12, apply(fresh, &x, &b)); observe(13, *kept);
  int *(*by_pointer)(int *(*)(void *, int *), void *, int *) = apply;
  observe(14, by_pointer(keep, &z, &b)); observe(15, kept ? *kept : 0);
  return 0;
}
