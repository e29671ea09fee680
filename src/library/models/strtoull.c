#define NAME strtoull
#define TYPE unsigned long long
#define LEAST ULLONG_MAX
#define MOST ULLONG_MAX
#include "read_number.h"
