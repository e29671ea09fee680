// RULES: out-of-bounds
// A packed struct has the fields of its plain twin, but another size.
#include <stdlib.h>
#include <string.h>
struct plain { long a; int b; };
#pragma pack(push, 1)
struct packed { long a; int b; };
struct outer { struct packed first; int second; };
#pragma pack(pop)

int main(int argc, char **argv)
{
    struct plain plain = {1, 2};
    struct packed packed = {3, 4};
    struct outer outer = {{5, 6}, 7};
    char bytes[16] = {0};
    if (argc == 2)
        memcpy(&plain, bytes, 16); // SAFE: out-of-bounds
    if (argc == 3)
        memcpy(&packed, bytes, 12); // SAFE: out-of-bounds
    if (argc == 4)
        memcpy(&packed, bytes, 13); // BUG: out-of-bounds
    if (argc == 5)
        ((char *)&outer)[15] = 1; // SAFE: out-of-bounds
    if (argc == 6)
        ((char *)&outer)[argc + 10] = 1; // BUG: out-of-bounds
    return plain.b + packed.b + outer.second;
}
