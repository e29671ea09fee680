// What is asked for a number and changes what it is given.
#include <stdlib.h>
#include <sys/socket.h>

extern void __VERIFIER_assert(int);

int main(void) {
    unsigned short seed[3] = {1, 2, 3};
    long drawn = nrand48(seed);
    __VERIFIER_assert(drawn >= 0 || seed[0] == 1);  // UNKNOWN: assertion
    __VERIFIER_assert(seed[0] == 1);                // UNKNOWN: assertion
    int listening = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr whose = {0};
    socklen_t size = sizeof whose;
    int plain = accept(listening, NULL, NULL);
    __VERIFIER_assert(plain >= -1);                 // SAFE: assertion
    __VERIFIER_assert(whose.sa_family == 0);        // SAFE: assertion
    accept(listening, &whose, &size);
    __VERIFIER_assert(whose.sa_family == 0);        // UNKNOWN: assertion
    __VERIFIER_assert(size == sizeof whose);        // UNKNOWN: assertion
    return 0;
}
