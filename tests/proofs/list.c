extern unsigned __VERIFIER_nondet_uint(void);
void *malloc(unsigned long);
void reach_error(void) {}
struct node {
  int value;
  struct node *next;
};

int main(void) {
  struct node *head = 0;
  while (__VERIFIER_nondet_uint()) {
    struct node *new = malloc(sizeof *new);
    new->value = 3;
    new->next = head;
    head = new;
  }
  for (struct node *at = head; at; at = at->next)
    if (at->value != 3)
      reach_error();
  return 0;
}
