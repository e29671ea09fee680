#include <stdarg.h>
#include <stddef.h>
void __cegas_gap(void);

struct output {
    char *to;
    size_t room;
    size_t count;
};

static void put(struct output *out, char c)
{
    if (out->count + 1 < out->room)
        out->to[out->count] = c;
    out->count++;
}

static void put_padded(struct output *out, const char *text, size_t length, size_t width, int left)
{
    if (!left)
        for (size_t i = length; i < width; i++)
            put(out, ' ');
    for (size_t i = 0; i < length; i++)
        put(out, text[i]);
    if (left)
        for (size_t i = length; i < width; i++)
            put(out, ' ');
}

static void put_number(struct output *out, unsigned long long value, int negative, unsigned base,
                       int upper, int zeros, size_t width, int left)
{
    char digits[32];
    size_t at = sizeof digits;
    do {
        unsigned digit = (unsigned)(value % base);
        digits[--at] = (char)(digit < 10 ? '0' + digit : (upper ? 'A' : 'a') + digit - 10);
        value /= base;
    } while (value != 0);
    if (zeros && !left) {
        if (negative)
            put(out, '-');
        for (size_t i = sizeof digits - at + (negative ? 1 : 0); i < width; i++)
            put(out, '0');
        negative = 0;
        width = 0;
    }
    if (negative)
        digits[--at] = '-';
    put_padded(out, digits + at, sizeof digits - at, width, left);
}

/* Strings, characters and integers; other conversions leave what is known. */
int vsnprintf(char *to, size_t room, const char *format, va_list args)
{
    struct output out = {to, room, 0};
    for (; *format != 0; format++) {
        if (*format != '%') {
            put(&out, *format);
            continue;
        }
        format++;
        int left = 0, zeros = 0, is_long = 0, is_short = 0;
        for (;; format++) {
            if (*format == '-')
                left = 1;
            else if (*format == '0')
                zeros = 1;
            else
                break;
        }
        size_t width = 0, precision = (size_t)-1;
        for (; *format >= '0' && *format <= '9'; format++)
            width = width * 10 + (size_t)(*format - '0');
        if (*format == '.') {
            format++;
            precision = 0;
            if (*format == '*') {
                int given = va_arg(args, int);
                precision = given < 0 ? (size_t)-1 : (size_t)given;
                format++;
            }
            for (; *format >= '0' && *format <= '9'; format++)
                precision = precision * 10 + (size_t)(*format - '0');
        }
        for (; *format == 'l' || *format == 'z' || *format == 'h'; format++)
            if (*format == 'h')
                is_short++;
            else
                is_long += *format == 'l' ? 1 : (sizeof(size_t) == 8);
        switch (*format) {
        case '%':
            put(&out, '%');
            break;
        case 'c': {
            char c = (char)va_arg(args, int);
            put_padded(&out, &c, 1, width, left);
            break;
        }
        case 's': {
            if (is_long)
                __cegas_gap();
            const char *text = va_arg(args, const char *);
            size_t length = 0;
            while (length < precision && text[length] != 0)
                length++;
            put_padded(&out, text, length, width, left);
            break;
        }
        case 'd':
        case 'i': {
            long long value = is_long == 0   ? va_arg(args, int)
                              : is_long == 1 ? va_arg(args, long)
                                             : va_arg(args, long long);
            if (is_short)
                value = is_short == 1 ? (short)value : (signed char)value;
            int negative = value < 0;
            unsigned long long size = negative ? 0 - (unsigned long long)value : (unsigned long long)value;
            if (precision != (size_t)-1)
                __cegas_gap();
            put_number(&out, size, negative, 10, 0, zeros, width, left);
            break;
        }
        case 'u':
        case 'x':
        case 'X':
        case 'o': {
            unsigned long long value = is_long == 0   ? va_arg(args, unsigned)
                                       : is_long == 1 ? va_arg(args, unsigned long)
                                                      : va_arg(args, unsigned long long);
            if (is_short)
                value = is_short == 1 ? (unsigned short)value : (unsigned char)value;
            unsigned base = *format == 'u' ? 10 : *format == 'o' ? 8 : 16;
            if (precision != (size_t)-1)
                __cegas_gap();
            put_number(&out, value, 0, base, *format == 'X', zeros, width, left);
            break;
        }
        case 'n':
            *va_arg(args, char *) = 0;
            __cegas_gap();
            break;
        default:
            __cegas_gap();
        }
    }
    if (room > 0)
        to[out.count < room ? out.count : room - 1] = 0;
    return (int)out.count;
}
