#define NAME strtoll
#define TYPE long long
#define LEAST LLONG_MIN
#define MOST LLONG_MAX
#include "read_number.h"
