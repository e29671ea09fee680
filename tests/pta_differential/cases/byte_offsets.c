/* Bytes are moved from one buffer to another, at offsets that nobody knows in both. */
static int a, b;
struct pair { int *first, *second; };
static void grow(char *to, const char *from, size_t at, size_t n) { memcpy(to + at, from + at, n); }
int main(int argc, char **argv) {
  BORN(a); BORN(b);
  char *old = malloc(argc * 64), *new = malloc(argc * 128);
  struct pair *pair = (struct pair *)old;
  pair->first = &a;
  pair->second = &b;
  for (size_t at = 0; at < 16; at += 4) grow(new, old, at, 4);
  observe(0, ((struct pair *)new)->first);
  observe(1, ((struct pair *)new)->second);
  char *next = malloc(64);
  for (size_t at = argc - 1; at < 2; at++) grow(next, old, 8 * at, 8);
  observe(2, ((struct pair *)next)->first);
  char *third = malloc(64);
  size_t skip = argc - 1;
  grow(third, old, skip, 16 - skip);
  observe(3, ((struct pair *)third)->second);
  return 0;
}
