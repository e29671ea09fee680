extern unsigned __VERIFIER_nondet_uint(void);
void *malloc(unsigned long);
void free(void *);
struct node {
  struct node *next;
};

int main(void) {
  struct node *head = 0, *lost = 0;
  while (__VERIFIER_nondet_uint()) {
    struct node *new = malloc(sizeof *new);
    new->next = head;
    head = new;
  }
  while (head) {
    struct node *next = head->next;
    free(head);
    head = next;
  }
  free(lost);
  return 0;
}
