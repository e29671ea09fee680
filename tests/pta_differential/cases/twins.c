/* What copies of one allocator made, all mixed up: the names of these objects are one then, and nothing is lost. */
struct node { void *any[4]; struct node *next; };
static volatile int turn;
static struct node *heap_of(int n) {
  struct node *made = ALLOC(sizeof *made);
  for (int k = 0; k < 4; k++) made->any[k] = n ? (void *)made : 0;
  made->next = made;
  return made;
}
static struct node *one(void) { return heap_of(1); }
static struct node *two(void) { return heap_of(2); }
static struct node *three(void) { return heap_of(0); }

int main(void) {
  struct node *all[3] = {one(), two(), three()};
  for (int k = 0; k < 3; k++) {
    struct node *to = all[(k + turn) % 3];
    for (int j = 0; j < 4; j++) {
      ((void **)to)[(j + turn) % 5] = all[(k + j) % 3];
      *(void **)((char *)all[(k + 1) % 3] + 8 * ((j + turn) % 5)) = ((void **)to)[j];
    }
  }
  for (int k = 0; k < 3; k++)
    for (int j = 0; j < 5; j++) observe(0, ((void **)all[k])[j]);
  struct node *fresh = heap_of(3);
  observe(1, fresh);
  observe(2, all[turn]->next);
  fresh->next = all[2];
  observe(3, fresh->next->any[1]);
  return 0;
}
