// RULES: out-of-bounds,div-by-zero
// OPTIONS: --timeout=30
// What comes from outside: lines, numbers, the environment, the network.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

int main(int argc, char **argv)
{
    int table[10] = {0};
    char line[16], small[8];
    if (fgets(line, sizeof line, stdin) != NULL) {
        int number = atoi(line);
        if (number >= 0)
            table[number % 10] = 1; // SAFE: out-of-bounds
        if (number >= 0 && number <= 10)
            table[number] = 1; // BUG: out-of-bounds
        if (number == 123456)
            return 1 / (number - 123456); // BUG: div-by-zero
    }
    if (argc > 1 && strlen(argv[1]) < sizeof small)
        strcpy(small, argv[1]); // SAFE: out-of-bounds
    int width = 0;
    if (scanf("%d", &width) == 1 && width > 0 && width < 5)
        memset(table, 0, width * sizeof(int)); // SAFE: out-of-bounds
    int got = recv(0, small, sizeof small, 0);
    if (got > 0)
        small[got] = 0; // BUG: out-of-bounds
    return 0;
}
