#define NAME strtoul
#define TYPE unsigned long
#define LEAST ULONG_MAX
#define MOST ULONG_MAX
#include "read_number.h"
