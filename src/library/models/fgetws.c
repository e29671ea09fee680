#define NAME fgetws
#define CHARACTER wchar_t
#define ANY __VERIFIER_nondet_int
#include "read_line.h"
