long __cegas_unknown_long(void);

/* Not any number: it is later than the program. */
long time(long *where)
{
    long now = __cegas_unknown_long();
    if (where != 0)
        *where = now;
    return now;
}
