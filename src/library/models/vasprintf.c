#include <stdarg.h>
#include <stddef.h>
int vsnprintf(char *to, size_t room, const char *format, va_list args);
void *malloc(size_t size);

int vasprintf(char **to, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    int count = vsnprintf(NULL, 0, format, again);
    va_end(again);
    char *text = malloc((size_t)count + 1);
    if (text == NULL)
        return -1;
    vsnprintf(text, (size_t)count + 1, format, args);
    *to = text;
    return count;
}
