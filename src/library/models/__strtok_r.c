#define NAME __strtok_r
#include "strtok_r.h"
