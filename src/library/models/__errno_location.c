/* One thread. */
static int number;

int *__errno_location(void)
{
    return &number;
}
