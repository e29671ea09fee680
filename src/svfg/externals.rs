//! What functions without a body read and write in memory. The library's summaries say only where pointers go;
//! a function that is not in these tables may read and write all it can reach from its arguments.

use crate::ir::{Operand, Program};
use crate::library::accesses;

/// Write nothing that the program can read.
const WRITES_NOTHING: &str = "\
    printf vprintf fprintf vfprintf dprintf puts fputs putchar putc fputc perror fwrite fflush \
    putchar_unlocked __printf_chk __fprintf_chk wprintf fwprintf \
    abort exit _exit _Exit quick_exit __assert_fail __assert __assert_rtn __stack_chk_fail \
    strlen strnlen strcmp strncmp strcasecmp strncasecmp strcoll strspn strcspn memcmp bcmp \
    strchr strrchr strstr strpbrk memchr memrchr memmem strchrnul strcasestr index rindex \
    wcslen wcscmp wcsncmp atoi atol atoll atof abs labs llabs ffs ffsl ffsll \
    isalnum isalpha isascii isblank iscntrl isdigit isgraph islower isprint ispunct isspace isupper \
    isxdigit tolower toupper toascii \
    malloc calloc valloc aligned_alloc memalign strdup strndup malloc_usable_size \
    rand srand random srandom clock getpid getppid getuid geteuid getgid getegid sleep usleep \
    open open64 openat close lseek lseek64 unlink rmdir mkdir access chmod fchmod ftruncate fsync \
    dup dup2 isatty getenv sysconf strerror fopen fopen64 fdopen fclose feof ferror fileno \
    htons htonl ntohs ntohl socket listen shutdown \
    sin cos tan asin acos atan atan2 sinh cosh tanh exp exp2 log log2 log10 pow sqrt cbrt floor ceil \
    fabs fmod round trunc ldexp hypot fmin fmax lround llround rint nearbyint copysign \
    sinf cosf tanf expf logf powf sqrtf floorf ceilf fabsf fmodf roundf \
    svf_assert svf_assert_eq reach_error \
    __cegas_gap __cegas_assume_later __cegas_is_number __cegas_number __cegas_unknown_int \
    __cegas_unknown_long \
    MUSTALIAS MAYALIAS NOALIAS PARTIALALIAS EXPECTEDFAIL_MAYALIAS EXPECTEDFAIL_NOALIAS \
    EXPECTEDFAIL_MUSTALIAS EXPECTEDFAIL_PARTIALALIAS";

/// Write only into the objects their pointer arguments point to (or end their lives).
const WRITES_ARGUMENTS: &str = "\
    free cfree memset __memset_chk memcpy memmove mempcpy __memcpy_chk __memmove_chk bzero \
    explicit_bzero bcopy strcpy strncpy strcat strncat stpcpy stpncpy strlcpy strlcat \
    __strcpy_chk __strncpy_chk __strcat_chk __strncat_chk \
    sprintf snprintf vsprintf vsnprintf __sprintf_chk __snprintf_chk __vsnprintf_chk \
    sscanf fscanf scanf __isoc99_sscanf __isoc99_fscanf __isoc99_scanf \
    __isoc23_sscanf __isoc23_fscanf __isoc23_scanf \
    read pread fread fgets gets recv recvfrom getcwd readlink stat fstat lstat fstatat \
    stat64 fstat64 lstat64 time gettimeofday clock_gettime localtime_r gmtime_r strftime mktime \
    strtol strtoul strtoll strtoull strtod strtof __isoc23_strtol __isoc23_strtoul \
    __isoc23_strtoll __isoc23_strtoull qsort bsearch frexp modf realloc reallocarray \
    pthread_mutex_init pthread_mutex_lock pthread_mutex_unlock pthread_mutex_destroy \
    pthread_mutex_trylock pthread_cond_init pthread_cond_wait pthread_cond_signal \
    pthread_cond_broadcast pthread_cond_destroy";

/// How far a function's writes go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Writes {
    Nothing,
    /// What its pointer arguments point to.
    Arguments,
    /// What can be reached from its arguments.
    Reach,
}

fn is_listed(list: &'static str, name: &str) -> bool {
    list.split_ascii_whitespace().any(|listed| listed == name)
}

/// What a call of the function of this name writes: a format may have it store how much was printed.
pub fn writes_of(program: &Program, name: &str, args: &[Operand]) -> Writes {
    match writes(name) {
        Writes::Nothing if accesses::prints_into(program, name, args) => Writes::Arguments,
        writes => writes,
    }
}

/// What the function of this name writes, whatever its format says.
pub fn writes(name: &str) -> Writes {
    if name.starts_with("__VERIFIER_") || is_listed(WRITES_NOTHING, name) {
        Writes::Nothing
    } else if is_listed(WRITES_ARGUMENTS, name) {
        Writes::Arguments
    } else {
        Writes::Reach
    }
}
