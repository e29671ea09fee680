//! Random programs full of pointers. Every pointer is valid from the start and stays so: objects live as long
//! as the program, and what is stored keeps its kind, so that any sequence of statements may run.
//!
//! Statements are templates: `@I` is any `int *`, `@N` any node, `@V` and `@W` variables of those kinds, `@P` any
//! place for an `int *`, `@i` a small index, `$` the program's number.

use crate::random::Random;

/// Text before all programs of a file.
pub const PRELUDE: &str = include_str!("prelude.c");

const INTS: &[&str] = &[
    "@V",
    "@V",
    "@N->data",
    "@N->leaf.ip",
    "@N->many[@i].ip",
    "(int *)@N->any",
    "@N->u.up",
    "@N->ptrs[@i % 2]",
    "gp$",
    "gtab$[@i]",
    "&ga$",
    "&garr$[@i]",
    "*@P",
    "(@N->leaf.tag ? @V : gp$)",
    "(int *)@N->u.bits",
    "tab$[@i]",
];
const NODES: &[&str] = &[
    "@W",
    "@W",
    "@N->next",
    "@N->leaf.np",
    "@N->many[@i].np",
    "gnp$",
    "&gn$",
    "&gns$[@i]",
    "nodes$[@i]",
    "((struct N$ *)((char *)&@N->leaf - offsetof(struct N$, leaf)))",
    "((struct N$ *)((char *)&@N->many[1].ip - offsetof(struct N$, many[1].ip)))",
];
const PLACES: &[&str] = &[
    "&@N->data",
    "&@N->leaf.ip",
    "&@N->many[@i].ip",
    "&@N->ptrs[@i % 2]",
    "&gp$",
    "&gtab$[@i]",
    "(gtab$ + @i)",
    "&@N->u.up",
    "(int **)&@N->any",
    "pp$",
];
const STATEMENTS: &[&str] = &[
    "@V = @I;",
    "@W = @N;",
    "*@P = @I;",
    "pp$ = @P;",
    "@N->next = @N;",
    "@N->data = @I;",
    "@N->leaf.ip = @I;",
    "@N->many[@i].ip = @I;",
    "@N->leaf.np = @N;",
    "@N->many[@i].np = @N;",
    "@N->any = @I;",
    "@N->u.up = @I;",
    "@N->u.bits = (word)@I;",
    "gp$ = @I; gnp$ = @N;",
    "nodes$[@i] = @N;",
    "{ struct N$ *d = @N, *s = @N; if (d != s) *d = *s; }",
    "@N->leaf = @N->many[@i];",
    "@N->many[@i] = @N->leaf;",
    "{ struct L$ l = @N->leaf; l = turn$(l, @I); @N->many[@i] = l; }",
    "memcpy(&@N->leaf, &@N->many[@i], sizeof(struct L$));",
    "memmove(@N->many, @N->many, sizeof(struct L$) * 2);",
    "memcpy(@P, @P, sizeof(int *));",
    "{ struct N$ *d = @N, *s = @N; memmove(d, s, sizeof *d); }",
    "{ size_t len = sizeof(struct L$); memmove(&@N->leaf, &@N->leaf, len); }",
    "{ char *d = (char *)@P, *s = (char *)@P; for (size_t k = 0; k < sizeof(int *); k++) d[k] = s[k]; }",
    "{ char *d = (char *)&@N->leaf, *s = (char *)&@N->many[@i]; size_t len = sizeof(struct L$); while (len--) *d++ = *s++; }",
    "{ unsigned *d = (unsigned *)@P, *s = (unsigned *)@P; d[0] = s[0]; d[1] = s[1]; }",
    "memcpy(gbuf$ + 8 * @i, @P, sizeof(int *)); memcpy(@P, gbuf$ + 8 * @i, sizeof(int *));",
    "{ word x = (word)@I; x ^= 0x5a5a; x ^= 0x5a5a; @V = (int *)x; }",
    "{ word x = (word)@I | 1; if (x & 1) @V = (int *)(x & ~(word)1); }",
    "{ word x = (word)@I; unsigned hi = x >> 32, lo = (unsigned)x; @V = (int *)((word)hi << 32 | lo); }",
    "{ word x = (word)@N; @W = (struct N$ *)(x + 16 - 16); }",
    "{ word x = (word)@N + offsetof(struct N$, data); @V = *(int **)x; }",
    "{ word a = (word)@I, b = (word)@I, x = a ^ b; @V = (int *)(x ^ a); @V = (int *)(x ^ b); }",
    "@N->fn = fs$[@i];",
    "if (depth$ < 5) { struct N$ *it = @N; depth$++; @V = it->fn(it, @I); depth$--; }",
    "if (depth$ < 5) { depth$++; @V = fs$[@i](@N, @I); depth$--; }",
    "if (depth$ < 5) { depth$++; @V = ((int *(*)(void *, void *))fs$[@i])(@N, @I); depth$--; }",
    "@V = pick$(@i, @I, @I, @I, @I);",
    "@V = pick2$(@i, @I, 1.5, @I, 7, @I);",
    "gather$(3, @P, @P, @P);",
    "@W = make$(@I, @N);",
    "{ struct N$ *fresh = ALLOC(sizeof *fresh); init$(fresh, @I, @N); @W = fresh; }",
    "{ int **fresh = ALLOC(3 * sizeof *fresh); for (int k = 0; k < 3; k++) fresh[k] = @I; tab$ = fresh; }",
    "{ size_t len = 4 + (size_t)@i; tab$ = REALLOC(tab$, len * sizeof *tab$); for (size_t k = 3; k < len; k++) tab$[k] = @I; }",
    "{ int *one = ALLOC(sizeof *one); *one = 0; @V = one; }",
    "swap$(@P, @P);",
    "@V = apply$(keep$, @P, @I);",
    "@V = apply$(@i ? look$ : keep$, @P, @I);",
    "{ int *own = @I; @V = apply$(wrap$, &own, @I); @V = own; }",
    "@V = again$(@i, keep$, @P, @I);",
    "@V = apply$(nest$, @P, @I);",
    "{ int *(*f)(int *(*)(void *, int *), void *, int *) = @i ? apply$ : &apply$; @V = f(look$, @P, @I); }",
    "{ char *d = (char *)@P, *s = (char *)@P; for (size_t k = 0, j = 0; k < sizeof(int *); k++) d[j++] = s[k]; }",
    "{ unsigned *d = (unsigned *)@P, *s = (unsigned *)@P; for (int k = 0, j = 2; k < 2; k++, j--) d[2 - j] = s[k]; }",
    "{ char *d = (char *)&@N->leaf, *s = (char *)@N->many; size_t at = @i * sizeof(struct L$); for (size_t k = 0; k < sizeof(struct L$); k++) d[k] = s[k + at]; }",
    "{ char *d = (char *)@N->many, *s = (char *)&@N->leaf; size_t at = @i * sizeof(struct L$); for (size_t k = 0; k < sizeof(struct L$); k++) d[at + k] = s[k]; }",
    "store$(@P, @I);",
    "qsort(tab$, 3, sizeof *tab$, order$);",
    "qsort(nodes$, 3, sizeof *nodes$, order_nodes$);",
    "{ int *key = @I, **hit = bsearch(&key, tab$, 3, sizeof *tab$, any$); if (hit) @V = *hit; }",
    "for (struct N$ *it = @N, *stop = it; ; it = it->next) { @V = it->data; if (it->next == stop || steps$++ > 20) break; }",
    "{ struct N$ *it = @N; for (int k = 0; k < 4; k++) it = it->next; @W = it; }",
    "for (int k = 0; k < 3; k++) { gtab$[k] = @I; gns$[k].next = @N; }",
    "{ int **walk = gtab$; for (int k = 0; k < 3; k++) *walk++ = @I; }",
    "{ int **back = gtab$ + 2; @V = back[-@i]; }",
    "{ struct N$ *back = gns$ + 2; back -= @i; @W = back; }",
    "{ struct L$ *l = &@N->many[2]; l--; @V = l->ip; l[@i % 2].ip = @I; }",
    "{ int *e = garr$ + 4; e -= @i; @V = e; }",
    "{ static int *kept$; if (!kept$) kept$ = @I; @V = kept$; kept$ = @I; }",
    "{ void *v = @P; *(int **)v = @I; }",
    "{ void **vv = (void **)@P; void *v = *vv; @V = (int *)v; }",
    "{ struct W$ { struct N$ inner; int *extra; } *w = ALLOC(sizeof *w); init$(&w->inner, @I, @N); w->extra = @I; struct N$ *in = &w->inner; @V = ((struct W$ *)in)->extra; @W = in; }",
    "{ union { struct L$ l; void *p[3]; word w[3]; } u; memset(&u, 0, sizeof u); u.l = @N->leaf; @V = u.l.ip; }",
    "{ struct N$ copy = *@N; @V = copy.data; @V = copy.many[@i].ip; @W = copy.next; }",
    "{ int *few[3] = { @I, @I, @I }; int **at = few + @i; @V = *at; few[@i] = @I; @V = few[@i]; }",
    "{ int **grid[2] = { gtab$, tab$ }; grid[@i % 2][@i] = @I; @V = grid[@i % 2][@i]; }",
    "@V = recurse$(@i, @I, @N);",
    "switch (@i) { case 0: @V = @I; break; case 1: @W = @N; break; default: *@P = @I; }",
    "{ char *t = text$, *c = strchr(t, 'b' + @i); observe(@#, c); char *end; strtol(c + 1, &end, 10); observe(@#, end); }",
    "__atomic_store_n(@P, @I, __ATOMIC_SEQ_CST); @V = __atomic_exchange_n(@P, @I, __ATOMIC_SEQ_CST);",
];

/// One program: functions and `run_N`, which runs it.
pub struct Writer<'r> {
    random: &'r mut Random,
    number: usize,
    /// The next observation.
    pub next: usize,
    ints: Vec<&'static str>,
    nodes: Vec<&'static str>,
}

impl Writer<'_> {
    fn expand(&mut self, template: &str, depth: usize) -> String {
        let mut out = String::new();
        let mut rest = template;
        while let Some(at) = rest.find(['@', '$']) {
            out += &rest[..at];
            let taken = if rest[at..].starts_with('$') {
                out += &format!("_{}", self.number);
                1
            } else {
                let kind = rest[at + 1..].chars().next().unwrap_or(' ');
                out += &self.one(kind, depth);
                2
            };
            rest = &rest[at + taken..];
        }
        out + rest
    }

    fn one(&mut self, kind: char, depth: usize) -> String {
        let random = &mut *self.random;
        let from = match kind {
            'V' => return (*random.pick(&self.ints)).replace('$', &format!("_{}", self.number)),
            'W' => return (*random.pick(&self.nodes)).replace('$', &format!("_{}", self.number)),
            'i' => {
                return (*random.pick(&["0", "1", "2", "(turn % 3)", "(turn++ % 3)"])).to_owned();
            }
            '#' => {
                self.next += 1;
                return (self.next - 1).to_string();
            }
            'I' if depth > 2 => "@V",
            'N' if depth > 2 => "@W",
            'P' if depth > 2 => "&gp$",
            'I' => random.pick(INTS),
            'N' => random.pick(NODES),
            'P' => random.pick(PLACES),
            other => unreachable!("@{other} in a template"),
        };
        let text = self.expand(from, depth + 1);
        if text.starts_with(['&', '*', '(']) { format!("({text})") } else { text }
    }

    fn statements(&mut self, count: usize, out: &mut String) {
        for _ in 0..count {
            let template = *self.random.pick(STATEMENTS);
            let line = if self.random.once_in(6) {
                format!("if (turn++ % 2) {{ {template} }}")
            } else if self.random.once_in(5) {
                format!("for (int round = 0; round < 3; round++) {{ {template} }}")
            } else {
                template.to_owned()
            };
            *out += &format!("  {}\n", self.expand(&line, 0));
            let seen = *self.random.pick(&[
                "@I",
                "@I",
                "@N",
                "@P",
                "@V",
                "@W",
                "&@N->many[@i]",
                "@N->fn",
                "tab$",
            ]);
            *out += &format!("  {}\n", self.expand(&format!("observe(@#, {seen});"), 0));
        }
    }
}

fn shuffled(random: &mut Random, list: &[&'static str]) -> Vec<&'static str> {
    let mut list = list.to_vec();
    for at in (1..list.len()).rev() {
        list.swap(at, random.below(at + 1));
    }
    list
}

/// The program `number`; its observations are counted from `first` on. Gives the text and the next free number.
pub fn program(random: &mut Random, number: usize, first: usize) -> (String, usize) {
    let leaf = shuffled(random, &["long tag;", "int *ip;", "struct N$ *np;"]);
    let node = shuffled(
        random,
        &[
            "struct N$ *next;",
            "int *data;",
            "void *any;",
            "struct L$ leaf;",
            "struct L$ many[3];",
            "int *(*fn)(struct N$ *, int *);",
            "union { int *up; word bits; } u;",
            "int *ptrs[2];",
            "char name[5];",
            "int number;",
        ],
    );
    let mut text = format!(
        "struct N$;\nstruct L$ {{ {} }};\nstruct N$ {{ {} }};\n{GLOBALS}",
        leaf.join(" "),
        node.join(" ")
    );
    let mut writer = Writer { random, number, next: first, ints: vec![], nodes: vec![] };
    for name in ["f0$", "f1$", "f2$"] {
        let count = 2 + writer.random.below(5);
        writer.ints = vec!["p", "q", "gp$"];
        writer.nodes = vec!["n", "m", "gnp$"];
        text += &format!(
            "static int *{name}(struct N$ *n, int *p) {{\n  int *q = p; struct N$ *m = n; int turn = depth$;\n"
        );
        text += "  observe(@#, n); observe(@#, p);\n";
        let mut body = String::new();
        writer.statements(count, &mut body);
        text += &body;
        text += &writer.expand("  return @I;\n}\n", 0);
    }
    text += START;
    writer.ints = vec!["p", "q", "r", "gp$"];
    writer.nodes = vec!["n", "m", "gnp$"];
    let count = 10 + writer.random.below(30);
    let mut body = String::new();
    writer.statements(count, &mut body);
    text += &body;
    text += "}\n";
    let text = writer.expand(&text, 0);
    (text, writer.next)
}

const GLOBALS: &str = "\
static int ga$, gb$, garr$[5], depth$, steps$;
static struct N$ gn$, gns$[3];
static int *gp$ = &ga$, *gtab$[3] = { &ga$, &garr$[2], &gb$ }, **pp$ = &gp$, **tab$;
static struct N$ *gnp$ = &gn$, *nodes$[3] = { &gn$, &gns$[1], &gns$[2] };
static char gbuf$[64], text$[] = \"abc12d3\";
static int *f0$(struct N$ *, int *), *f1$(struct N$ *, int *), *f2$(struct N$ *, int *);
static int *(*const fs$[])(struct N$ *, int *) = { f0$, f1$, f2$ };
static void init$(struct N$ *n, int *p, struct N$ *m) {
  n->next = m; n->data = p; n->any = p; n->leaf.tag = 1; n->leaf.ip = p; n->leaf.np = m; n->fn = f0$; n->u.up = p;
  for (int k = 0; k < 3; k++) { n->many[k].tag = k; n->many[k].ip = p; n->many[k].np = m; }
  n->ptrs[0] = n->ptrs[1] = p; n->number = 0; n->name[0] = 0;
}
static struct N$ *make$(int *p, struct N$ *m) {
  struct N$ *n = ALLOC(sizeof *n);
  init$(n, p, m);
  return n;
}
static struct L$ turn$(struct L$ l, int *p) { struct L$ r = l; r.ip = p; return r; }
static void swap$(int **a, int **b) { int *t = *a; *a = *b; *b = t; observe(@#, t); }
static int *keep$(void *to, int *p) { int **place = to, *old = *place; observe(@#, to); observe(@#, p); *place = p; return old; }
static int *look$(void *to, int *p) { observe(@#, to); return *(int **)to ? *(int **)to : p; }
static int *wrap$(void *to, int *p) {
  int **slot = ALLOC(sizeof *slot); *slot = p; observe(@#, slot); *(int **)to = *slot; return *slot;
}
static int *apply$(int *(*f)(void *, int *), void *to, int *p) {
  int *own = p, **inner = &own; int *got = f(to, p); observe(@#, got); observe(@#, to);
  got = f(inner, got); observe(@#, own); return got;
}
static int *again$(int k, int *(*f)(void *, int *), void *to, int *p) {
  observe(@#, to); return k ? again$(k - 1, f, to, f(to, p)) : apply$(f, to, p);
}
static int *nest$(void *to, int *p) { return apply$(keep$, to, p); }
static void store$(int **a, int *b) { *a = b; observe(@#, a); }
static int *pick$(int which, ...) {
  va_list list; va_start(list, which);
  int *p = va_arg(list, int *);
  for (int k = 0; k < which; k++) p = va_arg(list, int *);
  va_end(list);
  return p;
}
static int *pick2$(int which, ...) {
  va_list list, other; va_start(list, which);
  int *a = va_arg(list, int *); double d = va_arg(list, double); va_copy(other, list);
  int *b = va_arg(list, int *); int k = va_arg(list, int); int *c = va_arg(other, int *);
  k = va_arg(other, int); int *e = va_arg(other, int *);
  va_end(list); va_end(other);
  return which == 0 ? a : which == 1 ? b : d > k ? c : e;
}
static void gather$(int n, ...) {
  va_list list; va_start(list, n);
  int **last = 0;
  while (n--) { int **place = va_arg(list, int **); if (last) *last = *place; last = place; observe(@#, place); }
  va_end(list);
}
static int order$(const void *a, const void *b) {
  int *const *x = a, *const *y = b; observe(@#, *x); observe(@#, y); return (*x > *y) - (*x < *y);
}
static int order_nodes$(const void *a, const void *b) {
  struct N$ *const *x = a, *const *y = b; observe(@#, *x); return ((char *)*x > (char *)*y) - ((char *)*x < (char *)*y);
}
static int any$(const void *key, const void *element) { observe(@#, *(int *const *)key); observe(@#, element); return 0; }
static int *recurse$(int k, int *p, struct N$ *n) { observe(@#, n); return k ? recurse$(k - 1, n->data, n->next) : p; }
";

const START: &str = "\
static void run$(void) {
  int la$ = 1, lb$ = 2; struct N$ ln$; int *p = &la$, *q = &lb$, *r = &ga$; struct N$ *n = &ln$, *m = &gn$; int turn = 0;
  FRESH
  BORN(la$); BORN(lb$); BORN(ln$); BORN(ga$); BORN(gb$); BORN(garr$); BORN(gn$); BORN(gns$); BORN(gp$); BORN(gtab$);
  BORN(gnp$); BORN(nodes$); BORN(gbuf$); BORN(text$); BORN(tab$); BORN(pp$); BORN_FN(f0$); BORN_FN(f1$); BORN_FN(f2$);
  init$(&ln$, &la$, &ln$); init$(&gn$, &ga$, &gns$[0]); init$(&gns$[0], &gb$, &gns$[1]); init$(&gns$[1], &garr$[1], &gns$[2]); init$(&gns$[2], &lb$, &gn$);
  for (int k = 0; k < 8; k++) memcpy(gbuf$ + 8 * k, &gp$, sizeof gp$);
  tab$ = ALLOC(3 * sizeof *tab$);
  tab$[0] = &la$; tab$[1] = &gb$; tab$[2] = &garr$[3];
";
