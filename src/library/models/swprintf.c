#include <stdarg.h>
#include <stddef.h>
void __cegas_gap(void);

/* Plain text and %ls; it fails where the text does not fit. */
int swprintf(wchar_t *to, size_t room, const wchar_t *format, ...)
{
    va_list args;
    size_t count = 0;
    va_start(args, format);
    for (; *format != 0; format++) {
        if (*format != '%') {
            if (count + 1 >= room)
                return -1;
            to[count++] = *format;
            continue;
        }
        format++;
        if (format[0] == 'l' && format[1] == 's') {
            format++;
            for (const wchar_t *text = va_arg(args, const wchar_t *); *text != 0; text++) {
                if (count + 1 >= room)
                    return -1;
                to[count++] = *text;
            }
        } else
            __cegas_gap();
    }
    va_end(args);
    if (room == 0)
        return -1;
    to[count] = 0;
    return (int)count;
}
