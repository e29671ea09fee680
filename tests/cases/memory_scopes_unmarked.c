// RULES: use-after-free,uninit-read
// Scopes of which the compiler says nothing: those of compound literals, of variables that a jump may go past, and of
// temporaries.
extern unsigned __VERIFIER_nondet_uint(void);

struct pair {
    int a[2];
    int n;
};

static struct pair make(int n) {
    struct pair made = {{n, n + 1}, n};
    return made;
}

static int sum(const struct pair *p) {
    return p->a[0] + p->a[1]; // SAFE: use-after-free
}

static int literal_of_a_block(int on) {
    int *p = 0, kept = 0;
    if (on) {
        p = (int[]){1, 2};
        kept = p[1]; // SAFE: use-after-free
    }
    return p ? *p + kept : 0; // BUG: use-after-free
}

static int literal_of_a_branch(int on) {
    int *p = (int[]){1, 2};
    if (on)
        p = (int[]){3, 4};
    return *p; // BUG: use-after-free
}

static int literal_of_the_function(int on) {
    int *p = (int[]){1, 2}, r = 0;
    if (on)
        r = p[1]; // SAFE: use-after-free
    return *p + r; // SAFE: use-after-free
}

static int literal_of_turns(void) {
    int r = 0;
    for (int i = 0; i < 3; i++) {
        struct pair *p = &(struct pair){{i, 1}, 2};
        r += p->a[1]; // SAFE: use-after-free
        r += sum(&(struct pair){.n = i});
    }
    return r;
}

static int literal_of_last_turn(void) {
    int *p = 0, r = 0;
    for (int i = 0; i < 3; i++) {
        if (p)
            r = *p; // UNKNOWN: use-after-free
        p = (int[]){i};
    }
    return r;
}

static int literal_made_again(unsigned n) {
    int *p = 0, r = 0;
again:
    if (p)
        r = *p; // UNKNOWN: use-after-free
    p = (int[]){1}; // UNKNOWN: use-after-free
    if (n-- > 1)
        goto again;
    return r;
}

static int jumped_past(unsigned n) {
    int *p = 0;
    {
        if (n > 2)
            goto inside;
        int x = 1;
        p = &x;
    inside:
        x = 2;
        if (p)
            n = *p; // SAFE: use-after-free
        p = &x;
    }
    return *p; // BUG: use-after-free
}

static int jumped_past_unset(unsigned n) {
    int r = 0;
    for (int i = 0; i < 2; i++) {
        if (n > 2 && i)
            goto inside;
        int x;
        x = 5;
    inside:
        if (x > 3) // BUG: uninit-read
            r++;
    }
    return r;
}

static int jumped_past_set(unsigned n) {
    int r = 0;
    for (int i = 0; i < 2; i++) {
        if (n > 2)
            goto inside;
        int x;
        x = 5;
    inside:
        if (n > 2)
            x = i;
        if (x > 3) // SAFE: uninit-read
            r++;
    }
    return r;
}

static int before_the_first_case(unsigned n) {
    int *p = 0;
    switch (n) {
        int x;
    case 1:
        x = 2;
        p = &x;
        break;
    default: return 0;
    }
    return *p; // UNKNOWN: use-after-free
}

static int without_braces(int n) {
    int *p = 0;
    do
        p = (int[]){n}; // UNKNOWN: use-after-free
    while (n-- > 3);
    return *p; // UNKNOWN: use-after-free
}

static int of_a_switch(int n) {
    int *p = 0;
    switch (*(p = (int[]){n})) { // UNKNOWN: uninit-read // UNKNOWN: use-after-free
    case 1: break;
    default: return 0;
    }
    return *p; // UNKNOWN: use-after-free
}

static int of_an_expression(void) {
    int *p = ({ (int[]){3}; });
    return *p; // UNKNOWN: use-after-free
}

static int turns_for_ever(void) {
    int *p = 0, i = 0;
    for (;;) {
        if (i == 1)
            goto last;
        int x;
        x = 1;
        p = &x;
        i = 1;
        continue;
    last:
        return *p; // UNKNOWN: use-after-free
    }
}

static int declared_again(void) {
    int i = 0;
back:;
    int x;
    if (i == 1) {
        if (x > 3) // BUG: uninit-read
            return 1;
        return 0;
    }
    x = 7;
    i = 1;
    goto back;
}

static void set_to_zero(int **p) {
    **p = 0; // UNKNOWN: use-after-free
}

static void cleaned_up(unsigned n) {
    if (n > 3)
        goto inside;
    {
        int x, *p;
    inside:
        p = &x;
        int *q __attribute__((cleanup(set_to_zero))) = p;
    }
}

struct large {
    int a[40];
};
static int *kept;
static void keep(struct large given) {
    kept = given.a;
}
static int passed_by_value(void) {
    struct large large = {{1}};
    keep(large);
    return kept[0]; // BUG: use-after-free
}

static int temporary(void) {
    int *p = make(1).a;
    return *p; // UNKNOWN: use-after-free
}

static int temporary_in_time(void) {
    return make(1).a[1] + make(2).n; // SAFE: use-after-free
}

int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    switch (__VERIFIER_nondet_uint()) {
    case 0: return literal_of_a_block(n > 3);
    case 1: return literal_of_a_branch(n > 3);
    case 2: return literal_of_the_function(n > 3);
    case 3: return literal_of_turns();
    case 4: return literal_of_last_turn();
    case 5: return literal_made_again(n > 3 ? 3 : 1);
    case 6: return jumped_past(n);
    case 7: return jumped_past_unset(n);
    case 8: return jumped_past_set(n);
    case 9: return before_the_first_case(n);
    case 10: return temporary();
    case 11: return without_braces(n > 3);
    case 12: return of_a_switch(n > 3);
    case 13: return of_an_expression();
    case 14: return turns_for_ever();
    case 15: return declared_again();
    case 16: cleaned_up(n); return 0;
    case 17: return passed_by_value();
    default: return temporary_in_time();
    }
} // UNKNOWN: uninit-read
