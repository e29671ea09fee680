// Rotations, saturation and reversed bits, and what a compiler barrier leaves as it is.
#include <assert.h>
unsigned __VERIFIER_nondet_uint(void);
unsigned char __VERIFIER_nondet_uchar(void);

int main(void)
{
    unsigned x = __VERIFIER_nondet_uint();
    unsigned by = __VERIFIER_nondet_uchar();
    unsigned left = __builtin_rotateleft32(x, by);
    assert(__builtin_rotateright32(left, by) == x); // SAFE: assertion
    assert(__builtin_rotateleft32(x, 32) == x);     // SAFE: assertion
    assert(__builtin_rotateleft32(x, 8) == (x << 8 | x >> 24)); // SAFE: assertion
    unsigned char c = (unsigned char)by;
    assert(__builtin_rotateleft8(c, 1) == (unsigned char)(c << 1 | c >> 7)); // SAFE: assertion
    assert((__builtin_bitreverse8(c) & 1) == c >> 7); // SAFE: assertion
    assert(__builtin_bitreverse32(__builtin_bitreverse32(x)) == x); // SAFE: assertion

    unsigned seen = x;
    __asm__("" : "+r"(seen));
    assert(seen == x); // SAFE: assertion
    unsigned here = x, other = 7;
    __asm__ volatile("" : "+r"(here) : "r"(other) : "memory");
    assert(here == x); // SAFE: assertion

    if (by > 3)
        assert(left != 16); // BUG: assertion
    return 0;
}
