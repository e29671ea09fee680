// Every width of integer: how it is stored, extended, cut and computed with.
_Bool flag;
signed char c;
unsigned short s;
long long ll;
__int128 big;
_BitInt(200) huge;
unsigned _BitInt(5) five;

int widths(void) {
    flag = ll;
    s += c;
    big = (__int128)ll * ll;
    huge = huge + 1wb;
    five ^= 3;
    return sizeof huge + (c < 0);
}

unsigned rotate(unsigned x, unsigned n) { return x << n | x >> (32 - n); }

int choose(int x) { return x ? 3 : 4; }

enum colour { RED, GREEN = 7 };
enum colour next(enum colour was) { return was == RED ? GREEN : RED; }
