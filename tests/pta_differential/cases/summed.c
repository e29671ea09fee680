/* Pointers kept as numbers and moved by other numbers: a pool that hands out parts of an area, a union
   whose number grows, one that is reached through a pointer, and a sum in a variable. */
struct pool { word at, left; };
union both { char *pointer; word number; };
static char area[256];
static struct pool pool;
static union both named;
static word kept;
static word step = 8;

static void *take(struct pool *from, word size) {
  word at = from->at;
  from->at = from->at + size;
  from->left = from->left - size;
  return (void *)at;
}

static void grow(union both *u, word more, word still) {
  u->number = u->number + more + still;
}

int main(void) {
  BORN(area);
  pool.at = (word)area;
  pool.left = sizeof area;
  for (int k = 0; k < 3; k++) observe(0, take(&pool, step));
  named.pointer = area;
  named.number += step;
  observe(1, named.pointer);
  union both *far = ALLOC(sizeof *far);
  far->pointer = area + 16;
  grow(far, step, step);
  observe(2, far->pointer);
  kept = (word)area;
  kept = kept + step * 3;
  observe(3, (char *)kept);
  return 0;
}
