#include <stdarg.h>
#include <stddef.h>
int vsnprintf(char *to, size_t room, const char *format, va_list args);

int sprintf(char *to, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int count = vsnprintf(to, (size_t)-1, format, args);
    va_end(args);
    return count;
}
