/* Library functions that hand back or store a pointer they were given, called directly and through pointers. */
static char text[] = "12 monkeys";
static char other[] = "key=value";
static char room[64];
static int a, b, c;
static int *sorted[3];
static char *(*volatile find)(const char *, int) = strchr;
static long (*volatile number)(const char *, char **, int) = strtol;

static int by_address(const void *x, const void *y) {
  const int *p = *(int *const *)x, *q = *(int *const *)y;
  observe(0, p);
  return p < q ? -1 : p > q;
}

int main(void) {
  BORN(text); BORN(other); BORN(room); BORN(a); BORN(b); BORN(c);
  char *end, *rest;
  strtol(text, &end, 10);
  observe(1, end);
  number(other, &rest, 10);
  observe(2, rest);
  observe(3, strchr(other, '='));
  observe(4, find(text, 'm'));
  observe(5, strrchr(text, 'e'));
  observe(6, strstr(other, "val"));
  observe(7, memchr(text, 'k', 8));
  observe(8, strcpy(room, text));
  observe(9, strcat(room, other));
  observe(10, strncpy(room, other, 4));
  sorted[0] = &c; sorted[1] = &a; sorted[2] = &b;
  qsort(sorted, 3, sizeof *sorted, by_address);
  for (int k = 0; k < 3; k++) observe(11, sorted[k]);
  int *key = &b;
  int **found = bsearch(&key, sorted, 3, sizeof *sorted, by_address);
  if (found) observe(12, *found);
  return 0;
}
