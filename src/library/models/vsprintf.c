#include <stdarg.h>
#include <stddef.h>
int vsnprintf(char *to, size_t room, const char *format, va_list args);

int vsprintf(char *to, const char *format, va_list args)
{
    return vsnprintf(to, (size_t)-1, format, args);
}
