#include <assert.h>
#include <setjmp.h>

static jmp_buf back;

int main(void) {
    volatile int n = 0;
    if (setjmp(back) == 0) {
        n = 1;
        longjmp(back, 1);
    }
    assert(n == 1); // UNKNOWN: assertion
    return 0;
}
