//! Statements of random functions about what the prefilter knows of memory, and about what is beside that by one.

use super::Maker;

impl Maker {
    /// Memory that is smaller or larger than it looks, or only partly set; what is known by comparisons, checks and calls
    /// that do not come back.
    pub(super) fn statement_of_late(&mut self, p: &str, q: &str, a: &str, n: &str) {
        let (other, case) = (self.number(), self.case);
        match self.random.below(20) {
            0 => self.line(&format!("{p} = calloc(1, sizeof(struct s));")),
            1 => self.line(&format!("{p} = get(1, sizeof(struct s));")),
            2 if self.random.once_in(3) => self.line(&format!("{p} = get(3, 4);")),
            3 if self.random.once_in(3) => self.line(&format!("{p} = get_cut(256 + 24);")),
            4 => {
                // The sanitizers look at the addresses of accesses, not at those of copies.
                let bytes = 4 + self.random.below(13);
                self.line(&format!("{p}->arr[0] = 0; memset({p}->arr, 0, {bytes});"));
            }
            5 => self.line(&format!("{p}->next = {q}->next; *{p} = *{q};")),
            6 => self.line(&format!("{p}->n = {q}->n;")),
            7 => self.line(&format!("if (!{p}->next) return 0;")),
            8 => self.line(&format!("if (!{p}) stop();")),
            9 => self.line(&format!("if (!{p}->data) stop_perhaps({n});")),
            10 => self.line(&format!("if ({p}->n == 2) {{ sink += table[{p}->n]; }}")),
            11 => self.line(&format!("sink += table[{n}];")),
            12 => self.line(&format!("sink += words[{n} & 1][0];")),
            13 => self.line(&format!("sink += strlen(all_words[{n} & 1]);")),
            14 => self.line(&format!("sink += {a}[({n} ^ {other}) & 3];")),
            15 => self.line(&format!("sink += {a}[(unsigned){n} >> 1];")),
            16 => self.line(&format!("{p}->data = &{q}->arr[{n}];")),
            17 => {
                self.line(&format!("for (int *w = {a}; w < {a} + 3; w++) sink += *w > {n};"));
            }
            18 if self.depth < 3 => {
                self.block("{ int inner[3]; if (input() > 3) inner[1] = 2; b = inner;");
            }
            19 if self.depth < 3 => {
                self.block(&format!(
                    "for (int k = {n}; k != {other}; k++) {{ if (k > 6) break; gi_{case} = k;"
                ));
            }
            _ => self.line(&format!("if ({p}->arr[{n}] > {other}) sink++;")),
        }
    }

    /// What looks like something that is known, and is beside it by one: a byte, an element, a turn, an alias.
    pub(super) fn statement_beside(&mut self, p: &str, q: &str, a: &str, n: &str) {
        let (other, case) = (self.number(), self.case);
        match self.random.below(30) {
            0 if self.random.once_in(3) => self.line(&format!("{p} = get(1, sizeof(struct s) - 4);")),
            1 => self.line(&format!("sink += strlen(words[{n} & 1] + 1);")),
            2 => self.line(&format!("sink += strlen(\"one\" + ({n} & 7));")),
            3 => self.line(&format!("if ({n} >= 0 && {n} <= 4) sink += table[{n}];")),
            4 => self.line(&format!("if (!{p}->next) stop_perhaps({n}); {p}->next->n = 1;")),
            5 => self.line(&format!("if ({p} != {q}) stop(); sink += {q}->n;")),
            6 => self.line(&format!("*(char *)&{p}->n = 1; sink += {p}->n > 2;")),
            7 => self.line(&format!("*(short *)&{p}->next = {n}; if ({p}->next) {p}->next->n = 0;")),
            8 => self.line(&format!("{p}->arr[0] = {a}[0]; memcpy({p}->arr, {a}, 4 * (({n} & 3) + 1));")),
            9 => self.line(&format!("{p}->arr[0] = {q}->arr[0]; memcpy({p}, {q}, offsetof(struct s, arr) - ({n} & 1));")),
            10 => self.line(&format!("{a} = {a} - 1;")),
            11 => self.line(&format!("{a} = {a} + 1;")),
            12 => self.line(&format!("{{ int *w = {a}; while (*w != {n}) w++; sink += *w; }}")),
            13 => self.line(&format!("{{ int *w = {a} + 3; for (int k = 0; k <= {n}; k++) sink += *w--; }}")),
            14 if self.random.once_in(2) => {
                self.line(&format!("{a} = realloc(malloc(4 * (1 + ({n} & 3))), 4 * (1 + ({other} & 3)));"));
            }
            15 => self.line(&format!("{{ int k = 0; again: ; int fresh; if (k) sink += fresh > 1; fresh = 1; if (k++ < ({n} & 1)) goto again; }}").replace("again", &format!("again_{case}_{}", self.text.len()))),
            16 => self.line(&format!("{{ struct s one; if ({n} > 2) one.n = 1; {p}->arr[0] = 0; *{p} = one; }}")),
            17 => self.line(&format!("{{ struct s *w = {p}; w = w->next ? w->next : 0; if (w || {n} > 5) w->n = 3; }}")),
            18 => self.line(&format!("{{ union {{ int *at; long number; }} u; u.at = {a}; u.number += {n}; if (u.at) sink += *u.at; }}")),
            19 => self.line(&format!("{{ unsigned char few = {n} * 64; sink += {a}[few >> 6]; }}")),
            20 => self.line(&format!("{{ int by = {n}; sink += (by > 0 ? 6 / by : by / 2) + ({other} << (by & 3)); }}")),
            21 => self.line(&format!("{{ struct s **w = &{p}; (*w)->next = 0; *w = {q}->next; sink += {p}->n; }}")),
            23 => self.line(&format!("{{ struct s *w = {p}; {q}->n = 1; if (!{q}) w = 0; {p}->next = 0; if (!{p}->next) w = {q}->next; w->n = 2; }}")),
            24 => self.line(&format!("if (!{p}->next) {p} = 0; else if ({p}->next == {q}) {q} = 0;")),
            25 => self.line(&format!("{{ int *w = 0; if ({n} > {other}) w = {a}; {a}[0] = {n}; if ({n} > {other}) sink += *w; }}")),
            26 => self.line(&format!("{{ int *w = 0; if ({n} > 2) w = {a}; if ({other} > 2) sink += *w; }}")),
            27 | 28 => {
                let read = if self.random.once_in(2) { &p } else { &q };
                self.line(&format!("{{ struct s *raw = malloc(sizeof *raw); {p}->n = 1; {p}->n = raw->n; touch({q}); if ({read}->n > 2) sink++; }}"));
            }
            22 => self.line(&format!("gi_{case} = gi_{case} + {n}; if (gi_{case} < 5) sink += {p}->arr[gi_{case}];")),
            _ => self.line(&format!("{{ int k = {n}; if (k != 0) k = 4 / k; sink += table[k]; }}")),
        }
    }
}
