// The paper's first example, as its text tells it. The variables are global so that all of them live in memory, as in
// the paper's intermediate language; two assignments are functions of their own so that each is a location.
extern void error(void);

int i = 3, j = 7, k = 8;
int *a, *b = &k, **p;

static void aim(void) {
  *p = &i;
}

static void set(void) {
  *a = 4;
}

int main(void) {
  p = &a;
  aim();
  set();
  if (i == 3) // θ1
    a = &j;
  else
    *p = &k;
  *b = 6;
  if (*b == 6) { // θ2
    if (*a == 6) // θ3
      *a -= 1;
    else
      k = 9;
  } else {
    if (i == 4) // θ4
      k = 3;
  }
  if (k != 5) // θ5
    error();
  return 0;
}
