/* What functions return of which C says only that it is positive, or negative: no program may rely on more. */
int __cegas_unknown_int(void);

static int positive(void)
{
    return (__cegas_unknown_int() & 0x7fffffff) | 1;
}

static int negative(void)
{
    return (int)((unsigned)__cegas_unknown_int() | 0x80000000u);
}
