#include <limits.h>
int __cegas_is_number(const char *s);
long __cegas_number(const char *s);

/* The function NAME, which reads a TYPE between LEAST and MOST. (An unsigned one that is too large is MOST
   with either sign.) As glibc in the C locale, but for errno. Input that nobody has looked at is any number. */
TYPE NAME(const char *s, char **end, int base)
{
    const char *start = s;
    if (end == 0 && base == 10 && sizeof(TYPE) == sizeof(long) && __cegas_is_number(s))
        return (TYPE)__cegas_number(s);
    while (*s == ' ' || (*s >= '\t' && *s <= '\r'))
        s++;
    int negative = 0;
    if (*s == '-' || *s == '+')
        negative = *s++ == '-';
    /* Without a digit behind it, the x is not of the number. */
    const char *letter = 0;
    if ((base == 0 || base == 16) && s[0] == '0' && (s[1] == 'x' || s[1] == 'X')) {
        letter = s + 1;
        s += 2;
        base = 16;
    } else if (base == 0)
        base = *s == '0' ? 8 : 10;
    unsigned long long value = 0, limit = MOST;
    int any = 0, over = 0;
    if (base < 2 || base > 36)
        return 0;
    for (;; s++) {
        int digit;
        if (*s >= '0' && *s <= '9')
            digit = *s - '0';
        else if (*s >= 'a' && *s <= 'z')
            digit = *s - 'a' + 10;
        else if (*s >= 'A' && *s <= 'Z')
            digit = *s - 'A' + 10;
        else
            break;
        if (digit >= base)
            break;
        any = 1;
        if (value > (limit - (unsigned long long)digit) / (unsigned long long)base)
            over = 1;
        value = value * (unsigned long long)base + (unsigned long long)digit;
    }
    if (!any && letter != 0) {
        s = letter;
        any = 1;
    }
    if (end != 0)
        *end = (char *)(any ? s : start);
    if (over)
        return negative ? LEAST : MOST;
    return (TYPE)(negative ? 0 - value : value);
}
