/* A struct whose first member is an array of bytes: what is copied to it from an unknown place, or written through
   its bytes, is not in that member only. */
struct node { char name[5]; struct node *next; struct node *other; };
struct pair { int *one, *two; };
struct table { struct pair pairs[3]; };
struct plain { char name[8]; int *held[5]; };
static struct node first, second, nodes[3];
static struct table table;
static struct plain plain;
static int number;
int main(void) {
  BORN(first); BORN(second); BORN(nodes); BORN(number);
  nodes[1].next = &second;
  word mixed = (word)&nodes[1], key = (word)&first;
  struct node *anywhere = (struct node *)((mixed ^ key) ^ key);
  struct node copy = *anywhere;
  observe(0, copy.next);
  struct node *walked = &first;
  size_t offsets[2] = { offsetof(struct node, next), offsetof(struct node, other) };
  for (int k = 0; k < 2; k++) *(struct node **)((char *)walked + offsets[k]) = &nodes[k];
  observe(1, first.next); observe(2, first.other);
  table.pairs[1].two = &number;
  memcpy(&plain, &table, sizeof plain);
  observe(3, plain.held[2]);
  return 0;
}
