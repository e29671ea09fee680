// RULES: out-of-bounds,signed-overflow,bad-shift
// What a check of the same rule demanded before needs not be asked again, in the same block, behind it and in the
// next turn; what is asked before the check is.
int __VERIFIER_nondet_int(void);
struct grid { int cells[4]; int behind[200]; };

static int same_rule(struct grid *grid, int *four, int index)
{
    grid->cells[index] = 1; // BUG: out-of-bounds
    return four[index]; // SAFE: out-of-bounds
}

static int in_turn(struct grid *grid, int count)
{
    int sum = 0;
    for (int i = 0; i != count; i++) { // SAFE: signed-overflow
        grid->cells[i & 3] = i;
        sum = grid->cells[(i + 1) & 3]; // SAFE: out-of-bounds
    }
    return sum;
}

static int later_in_the_block(struct grid *grid, int index)
{
    int *at = (int *)grid + index;
    int first = *at; // BUG: out-of-bounds
    return first ^ grid->cells[index]; // BUG: out-of-bounds
}

static int shifted(int amount)
{
    int once = 1 << amount; // BUG: bad-shift // UNKNOWN: signed-overflow
    return once ^ (1 << amount); // SAFE: bad-shift
}

int main(void)
{
    struct grid grid = {{0}, {0}};
    int four[4] = {0};
    int number = __VERIFIER_nondet_int();
    switch (__VERIFIER_nondet_int()) {
    case 0:
        return same_rule(&grid, four, number);
    case 1:
        return in_turn(&grid, number < 0 ? 0 : 9);
    case 2:
        return later_in_the_block(&grid, number);
    default:
        return shifted(number);
    }
}
