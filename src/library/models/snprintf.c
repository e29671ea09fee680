#include <stdarg.h>
#include <stddef.h>
int vsnprintf(char *to, size_t room, const char *format, va_list args);

int snprintf(char *to, size_t room, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int count = vsnprintf(to, room, format, args);
    va_end(args);
    return count;
}
