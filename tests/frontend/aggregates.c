// Structs, unions, bit-fields and arrays, in memory and by value.
struct small { int x, y; };
struct large { long v[5]; };
struct bits { unsigned a : 3; signed b : 5; unsigned long c : 33; };
union any { int i; char bytes[4]; float f; };
struct list { int n; struct small items[]; };

struct small swap(struct small p) { return (struct small){p.y, p.x}; }
long last(struct large l) { return l.v[4]; }
struct large make(long first) { return (struct large){{first}}; }
long use(void) { return last(make(7)) + swap((struct small){1, 2}).x; }

int fields(struct bits *p) {
    p->b = -2;
    p->c++;
    return p->a;
}

int pun(union any *u) {
    u->f = 1.5f;
    return u->bytes[3];
}

int sum(struct list *l) {
    int total = 0;
    for (int i = 0; i < l->n; i++) total += l->items[i].y;
    return total;
}

int grid[3][4] = {{1}, {0, 2}, [2][3] = 9};
int *corner = &grid[2][3];
struct { char tag; struct small *p; } nested = {'n', (struct small *)grid[1]};
int at(int (*row)[4], int column) { return row[1][column]; }
