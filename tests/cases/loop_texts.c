// RULES: out-of-bounds
// Texts of any length: an access stays inside because the loop ends at the zero.
extern int __VERIFIER_nondet_int(void);
extern char __VERIFIER_nondet_char(void);

static unsigned count(const char *text, char wanted) {
    unsigned found = 0;
    for (const char *at = text; *at; at++) // SAFE: out-of-bounds
        found += *at == wanted;
    return found;
}

int main(void) {
    int length = __VERIFIER_nondet_int();
    if (length < 1)
        length = 1;
    char text[length];
    for (int i = 0; i < length - 1; i++)
        text[i] = __VERIFIER_nondet_char();
    text[length - 1] = 0; // SAFE: out-of-bounds
    return (int)count(text, 'a');
}
