#define NAME strtok_r
#include "strtok_r.h"
