// RULES: assertion
// The last element that an access can touch may be cut off by the end of its array.
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);

static char bytes[8001], others[8001];

int main(void)
{
    unsigned n = __VERIFIER_nondet_uint();
    unsigned at = __VERIFIER_nondet_uint();
    if (at > 1000)
        return 0;
    for (unsigned i = 0; i < n; i++) {
        if (i == 700000)
            bytes[8000] = 1;
        if (i == 700001)
            others[8000] = 0;
    }
    if (bytes[at * 8] != 0)
        reach_error(); // UNKNOWN: assertion
    if (others[at * 8] != 0)
        reach_error(); // SAFE: assertion
    return 0;
}
