#define NAME fgets
#define CHARACTER char
#define ANY __VERIFIER_nondet_char
#include "read_line.h"
