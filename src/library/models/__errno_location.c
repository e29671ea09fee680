int __cegas_unknown_int(void);

/* One thread. Whatever was called since it was last set may have set it: what depends on it is in doubt. */
static int number;

int *__errno_location(void)
{
    number = __cegas_unknown_int();
    return &number;
}
