// RULES: out-of-bounds
// Nobody wrote the zero that the loop looks for.
extern int __VERIFIER_nondet_int(void);
extern char __VERIFIER_nondet_char(void);

int main(void) {
    int length = __VERIFIER_nondet_int();
    if (length < 1)
        length = 1;
    char text[length];
    for (int i = 0; i < length; i++)
        text[i] = __VERIFIER_nondet_char();
    int at = 0;
    while (text[at]) // BUG: out-of-bounds
        at++;
    return at;
}
