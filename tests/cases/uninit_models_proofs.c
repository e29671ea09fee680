// RULES: uninit-read
// OPTIONS: --engine proofs --timeout 3
// A proof that comes by the call of a library function answers for what the function's own branches depend on, too.
#include <string.h>

int main(void)
{
    char a[8], b[8] = {0};
    if (memcmp(a, b, 8)) // UNKNOWN: uninit-read
        return 1;
    return 0;
}
