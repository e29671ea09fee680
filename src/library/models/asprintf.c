#include <stdarg.h>
int vasprintf(char **to, const char *format, va_list args);

int asprintf(char **to, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int count = vasprintf(to, format, args);
    va_end(args);
    return count;
}
