/* A struct is copied byte by byte. */
struct pair { int *first; long gap; int *second; };
static int a, b;
static struct pair from = { &a, 1, &b }, to;
int main(void) {
  BORN(a); BORN(b);
  char *d = (char *)&to; const char *s = (const char *)&from;
  for (size_t n = sizeof to; n > 0; n--) *d++ = *s++;
  observe(0, to.first); observe(1, to.second);
  return 0;
}
