#define NAME strtol
#define TYPE long
#define LEAST LONG_MIN
#define MOST LONG_MAX
#include "read_number.h"
