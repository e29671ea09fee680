//! What functions without a body do to pointers: a table of effects by name. It says nothing of values
//! or of what is read; it must name every way in which the function stores, returns or calls a
//! pointer that it was given. A function that is not here is unknown and may do anything.
//!
//! Files and pipes are taken to carry no pointers, and strings to hold none: `strcpy` and its like stop at a zero byte, so they do not
//! carry one over, while `memcpy` and its like do.

use rustc_hash::FxHashMap;
use std::sync::LazyLock;

/// What a callback is called with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Passed {
    /// The same as the function's argument.
    Arg(u8),
    /// Some element of the array the argument points to, each as large as another argument says.
    Element { of: u8, size: u8 },
    /// Memory the program knows nothing of.
    Unknown,
    /// What was left in the slot.
    Left(Slot),
    /// Memory of the library's own.
    Outside,
    /// What lies in the object that the argument points to, so many bytes behind where it points.
    At { of: u8, at: i64 },
    /// No pointer.
    Number,
}

/// Where library functions leave pointers for each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Slot {
    /// What thread functions returned, for `pthread_join`.
    ThreadResult,
    /// What `pthread_setspecific` was given.
    ThreadSpecific,
    Handler,
    /// What the environment and the streams were given to keep.
    Kept,
    /// What went into the kernel to come back later: user data of `epoll`.
    Kernel,
    /// What other libraries were given to keep (see [`foreign`](super::foreign)).
    TlsData,
    TlsArgument,
    TlsBytes,
    TlsItems,
    TlsMethods,
    HttpSession,
    HttpStream,
    HttpInput,
    Event,
    Zlib,
}

impl Slot {
    /// Whether functions that nothing is known of may put pointers there, too.
    pub fn is_foreign(self) -> bool {
        use Slot::{Handler, Kept, Kernel, ThreadResult, ThreadSpecific};
        !matches!(self, ThreadResult | ThreadSpecific | Handler | Kept | Kernel)
    }
}

/// Arguments are counted from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// Returns the argument.
    Returns(u8),
    /// Returns a pointer somewhere into the object the argument points to.
    ReturnsInside(u8),
    /// Returns some element of the array the argument points to.
    ReturnsElement {
        of: u8,
        size: u8,
    },
    /// Returns a new object; its size is the product of the arguments.
    Allocates(&'static [u8]),
    /// Returns a new object with the content of the one the argument points to, or that one.
    Reallocates {
        old: u8,
        size: &'static [u8],
    },
    /// Stores the address of a new object where the argument points to.
    AllocatesInto(u8),
    /// Returns a pointer to storage of its own.
    ReturnsStorage,
    /// Copies memory.
    Copies {
        to: u8,
        from: u8,
        len: Option<u8>,
    },
    /// `*to = value`.
    Stores {
        to: u8,
        value: u8,
    },
    /// `*to` becomes a pointer somewhere into the object `of` points to.
    StoresInside {
        to: u8,
        of: u8,
    },
    /// Returns what the argument points to holds.
    ReturnsContent(u8),
    /// Moves the elements of an array (of the size the second argument gives) among each other.
    Permutes {
        array: u8,
        size: u8,
    },
    /// Calls the function it is given.
    Calls {
        func: u8,
        args: &'static [Passed],
    },
    /// The same, and leaves the result in the slot.
    CallsFor {
        func: u8,
        args: &'static [Passed],
        result: Slot,
    },
    /// Calls a function that lies in the object the argument points to.
    CallsContent {
        of: u8,
        args: &'static [Passed],
    },
    Leaves {
        value: u8,
        slot: Slot,
    },
    /// Leaves all pointers that lie in the object the argument points to.
    LeavesContent {
        of: u8,
        slot: Slot,
    },
    ReturnsLeft(Slot),
    /// Stores what was left somewhere in the object `to` points to.
    StoresLeft {
        to: u8,
        slot: Slot,
    },
    /// Unknown code may reach the argument from here on.
    Escapes(u8),
    /// The same of all pointers that lie in the object the argument points to.
    EscapesContent(u8),
    /// A function that is given as the argument, if one is, finds what was left in the slot in the library's memory.
    Shows {
        slot: Slot,
        to: u8,
    },
    /// Returns a pointer to memory of the library's own.
    ReturnsOutside,
    /// Stores such a pointer, so many bytes behind where the argument points.
    StoresOutside {
        to: u8,
        at: i64,
    },
    /// The pointer that lies so many bytes behind where the argument points moves inside its object.
    Advances {
        of: u8,
        at: i64,
    },
    /// Calls the function that lies so many bytes behind where the argument points, and leaves the result in the slot.
    CallsAt {
        of: u8,
        at: i64,
        args: &'static [Passed],
        result: Slot,
    },
    /// Leaves a pointer somewhere into the object the argument points to.
    LeavesInside {
        of: u8,
        slot: Slot,
    },
    /// Returns what was left in the slot, as it was left.
    ReturnsKept(Slot),
    /// Stores what was left, so many bytes behind where the argument points.
    StoresLeftAt {
        to: u8,
        at: i64,
        slot: Slot,
    },
    /// The same, at any place in so many bytes.
    StoresLeftWithin {
        to: u8,
        bytes: u64,
        slot: Slot,
    },
}

use Effect::{
    Allocates, AllocatesInto, Calls, CallsContent, CallsFor, Copies, Escapes, Leaves,
    LeavesContent, Permutes, Reallocates, Returns, ReturnsContent, ReturnsElement, ReturnsInside,
    ReturnsLeft, ReturnsStorage, Stores, StoresInside, StoresLeft,
};
use Passed::{Arg, Element, Left, Number, Unknown};

/// `memcpy`'s first two arguments, with the length third.
const COPY: Effect = Copies { to: 0, from: 1, len: Some(2) };
/// The same, but the length does not count bytes.
const COPY_SOME: Effect = Copies { to: 0, from: 1, len: None };
/// What `qsort` compares.
const ELEMENT: Passed = Element { of: 0, size: 2 };
/// The handlers a signal may have.
const HANDLER: Slot = Slot::Handler;
const KEPT: Slot = Slot::Kept;

/// Functions of one behaviour, by name.
const EFFECTS: &[(&str, &[Effect])] = &[
    // Memory.
    ("malloc valloc pvalloc", &[Allocates(&[0])]),
    ("aligned_alloc memalign", &[Allocates(&[1])]),
    ("calloc", &[Allocates(&[0, 1])]),
    ("realloc", &[Reallocates { old: 0, size: &[1] }]),
    ("reallocarray", &[Reallocates { old: 0, size: &[1, 2] }]),
    ("posix_memalign", &[AllocatesInto(0)]),
    ("mmap mmap64", &[Allocates(&[1])]),
    ("mremap", &[Reallocates { old: 0, size: &[2] }]),
    ("shmat sbrk", &[Allocates(&[])]),
    ("strdup strndup __strdup __strndup wcsdup", &[Allocates(&[])]),
    ("memcpy memmove __memcpy_chk __memmove_chk", &[COPY, Returns(0)]),
    ("wmemcpy wmemmove", &[COPY_SOME, Returns(0)]),
    ("mempcpy __mempcpy __mempcpy_chk memccpy", &[COPY_SOME, ReturnsInside(0)]),
    ("bcopy swab", &[Copies { to: 1, from: 0, len: Some(2) }]),
    ("memset __memset_chk wmemset memset_explicit", &[Returns(0)]),
    ("memchr memrchr rawmemchr memmem wmemchr __rawmemchr", &[ReturnsInside(0)]),
    // Strings.
    (
        "strcpy strncpy strcat strncat wcscpy wcsncpy wcscat wcsncat __strcpy_chk __strncpy_chk \
         __strcat_chk __strncat_chk",
        &[Returns(0)],
    ),
    ("stpcpy stpncpy __stpcpy_chk __stpncpy_chk __stpcpy wcpcpy", &[ReturnsInside(0)]),
    (
        "strchr strrchr strchrnul strstr strcasestr strpbrk index rindex wcschr wcsrchr wcsstr \
         wcspbrk strnstr __strchrnul strptime",
        &[ReturnsInside(0)],
    ),
    ("basename __xpg_basename dirname", &[ReturnsInside(0), ReturnsStorage]),
    ("strtok", &[ReturnsInside(0), Leaves { value: 0, slot: KEPT }, ReturnsLeft(KEPT)]),
    (
        "strtok_r __strtok_r wcstok",
        &[ReturnsInside(0), StoresInside { to: 2, of: 0 }, ReturnsContent(2)],
    ),
    ("strsep __strsep", &[ReturnsContent(0)]),
    (
        "strtol strtoul strtoll strtoull strtoimax strtoumax strtod strtof strtold __isoc23_strtol \
         __isoc23_strtoul __isoc23_strtoll __isoc23_strtoull __isoc23_strtoimax \
         __isoc23_strtoumax strtoq strtouq wcstol wcstoul wcstod",
        &[StoresInside { to: 1, of: 0 }],
    ),
    ("asprintf vasprintf __asprintf_chk __vasprintf_chk", &[AllocatesInto(0)]),
    ("getline getdelim __getdelim", &[AllocatesInto(0)]),
    ("mkdtemp mktemp", &[Returns(0)]),
    ("openlog sigaltstack", &[Escapes(0)]),
    ("fgets gets fgetws fgets_unlocked __fgets_chk", &[Returns(0)]),
    // Storage of the library's own.
    (
        "getenv secure_getenv setlocale nl_langinfo localeconv strerror strsignal localtime gmtime \
         ctime asctime ttyname getlogin getpwnam getpwuid getpwent getgrnam getgrgid getgrent \
         gethostbyname gethostbyaddr getservbyname getservbyport getprotobyname \
         getprotobynumber inet_ntoa readdir readdir64 ctermid __errno_location __ctype_b_loc \
         __ctype_tolower_loc __ctype_toupper_loc gai_strerror hstrerror dlerror crypt ptsname \
         getpass bindtextdomain textdomain bind_textdomain_codeset gnu_get_libc_version \
         getmntent getspnam __h_errno_location",
        &[ReturnsStorage],
    ),
    ("tmpnam tempnam", &[Returns(0), ReturnsStorage, Allocates(&[])]),
    ("gettext", &[Returns(0)]),
    ("dgettext dcgettext", &[Returns(1)]),
    ("ngettext", &[Returns(0), Returns(1)]),
    ("dngettext dcngettext", &[Returns(1), Returns(2)]),
    (
        "fopen fopen64 fdopen popen tmpfile tmpfile64 opendir fdopendir setmntent newlocale \
         duplocale iconv_open fmemopen get_current_dir_name canonicalize_file_name",
        &[Allocates(&[])],
    ),
    ("open_memstream open_wmemstream", &[Allocates(&[]), AllocatesInto(0)]),
    ("freopen freopen64", &[Returns(2)]),
    ("uselocale", &[Leaves { value: 0, slot: KEPT }, ReturnsLeft(KEPT)]),
    ("setvbuf setbuf setbuffer", &[Leaves { value: 1, slot: KEPT }]),
    ("getcwd __getcwd_chk", &[Returns(0), Allocates(&[])]),
    ("realpath __realpath_chk", &[Returns(1), Allocates(&[])]),
    ("localtime_r gmtime_r asctime_r ctime_r", &[Returns(1)]),
    ("strerror_r __xpg_strerror_r", &[Returns(1), ReturnsStorage]),
    ("inet_ntop", &[Returns(2)]),
    ("putenv", &[Leaves { value: 0, slot: KEPT }, Escapes(0)]),
    ("getaddrinfo", &[AllocatesInto(3)]),
    ("getifaddrs", &[AllocatesInto(0)]),
    (
        "getpwnam_r getpwuid_r getgrnam_r getgrgid_r",
        &[Stores { to: 4, value: 1 }, StoresInside { to: 1, of: 2 }],
    ),
    ("readdir_r readdir64_r", &[Stores { to: 2, value: 1 }]),
    ("getopt", &[Escapes(1)]),
    ("getopt_long getopt_long_only", &[Escapes(1), Escapes(3)]),
    ("epoll_ctl", &[LeavesContent { of: 3, slot: Slot::Kernel }]),
    ("epoll_wait epoll_pwait", &[StoresLeft { to: 1, slot: Slot::Kernel }]),
    // Callbacks.
    ("qsort", &[Permutes { array: 0, size: 2 }, Calls { func: 3, args: &[ELEMENT, ELEMENT] }]),
    (
        "qsort_r",
        &[Permutes { array: 0, size: 2 }, Calls { func: 3, args: &[ELEMENT, ELEMENT, Arg(4)] }],
    ),
    (
        "bsearch lfind lsearch",
        &[
            ReturnsElement { of: 1, size: 3 },
            Calls { func: 4, args: &[Arg(0), Element { of: 1, size: 3 }] },
        ],
    ),
    ("atexit at_quick_exit", &[Calls { func: 0, args: &[] }]),
    ("on_exit", &[Calls { func: 0, args: &[Number, Arg(1)] }]),
    ("__cxa_atexit", &[Calls { func: 0, args: &[Arg(1)] }]),
    (
        "signal bsd_signal sysv_signal __sysv_signal",
        &[
            Calls { func: 1, args: &[Number] },
            Leaves { value: 1, slot: HANDLER },
            ReturnsLeft(HANDLER),
        ],
    ),
    (
        "sigaction",
        &[
            CallsContent { of: 1, args: &[Number, Unknown, Unknown] },
            LeavesContent { of: 1, slot: HANDLER },
            StoresLeft { to: 2, slot: HANDLER },
        ],
    ),
    ("pthread_create", &[CallsFor { func: 2, args: &[Arg(3)], result: Slot::ThreadResult }]),
    ("thrd_create", &[Calls { func: 1, args: &[Arg(2)] }]),
    ("pthread_join", &[StoresLeft { to: 1, slot: Slot::ThreadResult }]),
    ("pthread_exit", &[Leaves { value: 0, slot: Slot::ThreadResult }]),
    ("pthread_once call_once", &[Calls { func: 1, args: &[] }]),
    ("pthread_key_create tss_create", &[Calls { func: 1, args: &[Left(Slot::ThreadSpecific)] }]),
    ("pthread_setspecific tss_set", &[Leaves { value: 1, slot: Slot::ThreadSpecific }]),
    ("pthread_getspecific tss_get", &[ReturnsLeft(Slot::ThreadSpecific)]),
    (
        "pthread_atfork",
        &[Calls { func: 0, args: &[] }, Calls { func: 1, args: &[] }, Calls { func: 2, args: &[] }],
    ),
    ("ftw ftw64", &[Calls { func: 1, args: &[Unknown, Unknown, Number] }]),
    ("nftw nftw64", &[Calls { func: 1, args: &[Unknown, Unknown, Number, Unknown] }]),
    ("clone", &[Calls { func: 0, args: &[Arg(3)] }]),
];

/// Functions that store, return and call no pointer they were given: they work on numbers, read what
/// they are given, or write bytes that are no pointers.
const HARMLESS: &str = "\
    free cfree munmap madvise mprotect msync mlock munlock malloc_usable_size malloc_trim mallopt \
    explicit_bzero bzero memcmp bcmp strlen strnlen strcmp strncmp strcasecmp strncasecmp strcoll \
    strxfrm strspn strcspn wcslen wcscmp wcsncmp wmemcmp strverscmp ffs ffsl ffsll \
    strlcpy strlcat __strlcpy_chk __strlcat_chk wcstombs mbstowcs mbsrtowcs wcsrtombs mbrtowc \
    mbtowc mblen mbrlen mbsinit wcrtomb wctomb wcwidth wcswidth btowc wctob iswalnum iswalpha \
    iswdigit iswspace iswpunct iswprint iswupper iswlower towupper towlower wctype iswctype \
    abort exit _exit _Exit quick_exit __assert_fail __assert __stack_chk_fail __fortify_fail \
    printf fprintf sprintf snprintf vprintf vfprintf vsprintf vsnprintf dprintf vdprintf \
    __printf_chk __fprintf_chk __sprintf_chk __snprintf_chk __vprintf_chk __vfprintf_chk \
    __vsprintf_chk __vsnprintf_chk __dprintf_chk wprintf fwprintf swprintf vswprintf \
    scanf fscanf sscanf vscanf vfscanf vsscanf __isoc99_scanf __isoc99_fscanf __isoc99_sscanf \
    __isoc99_vsscanf __isoc23_scanf __isoc23_fscanf __isoc23_sscanf __isoc23_vsscanf \
    puts fputs putchar putc fputc putw putchar_unlocked putc_unlocked fputc_unlocked fputs_unlocked \
    getchar getc fgetc getw getchar_unlocked getc_unlocked fgetc_unlocked ungetc _IO_putc _IO_getc \
    fread fwrite fread_unlocked fwrite_unlocked __fread_chk fflush fflush_unlocked fclose pclose \
    fseek fseeko fseeko64 ftell ftello ftello64 rewind fgetpos fsetpos feof ferror clearerr \
    feof_unlocked ferror_unlocked clearerr_unlocked fileno fileno_unlocked flockfile funlockfile \
    ftrylockfile perror psignal remove rename renameat unlink unlinkat rmdir mkdir mkdirat mkfifo \
    mknod link linkat symlink symlinkat readlink readlinkat chmod fchmod fchmodat chown fchown \
    lchown fchownat access faccessat eaccess euidaccess open open64 openat openat64 creat close \
    read write pread pwrite pread64 pwrite64 lseek lseek64 dup dup2 dup3 pipe pipe2 fcntl fcntl64 \
    flock fsync fdatasync sync syncfs sync_file_range truncate ftruncate ftruncate64 \
    posix_fallocate posix_fallocate64 fallocate posix_fadvise posix_fadvise64 stat fstat lstat \
    fstatat stat64 fstat64 lstat64 fstatat64 __xstat __fxstat __lxstat __fxstatat __xstat64 \
    __fxstat64 __lxstat64 statfs fstatfs statvfs fstatvfs statfs64 fstatfs64 statx umask utime \
    utimes futimes utimensat futimens lutimes chdir fchdir chroot isatty tcgetattr tcsetattr \
    tcflush tcdrain tcgetpgrp tcsetpgrp cfmakeraw cfgetospeed cfsetospeed cfsetispeed \
    cfgetispeed ttyname_r closedir rewinddir seekdir telldir dirfd mkstemp mkstemps mkostemp \
    mkostemps mkstemp64 mkstemps64 sendfile sendfile64 splice copy_file_range \
    __read_chk __pread_chk __readlink_chk __recv_chk __recvfrom_chk __poll_chk __fdelt_chk \
    socket socketpair bind listen connect accept accept4 shutdown getsockname getpeername \
    getsockopt setsockopt send recv sendto recvfrom htons htonl ntohs ntohl inet_aton inet_addr \
    inet_pton getnameinfo freeaddrinfo freeifaddrs if_nametoindex select pselect poll ppoll \
    gethostname getdomainname sethostname uname sysconf pathconf fpathconf getpagesize confstr \
    getpid getppid gettid getpgid setpgid getpgrp setpgrp getsid setsid getuid geteuid getgid \
    getegid setuid seteuid setgid setegid setreuid setregid setresuid setresgid getresuid \
    getresgid getgroups setgroups initgroups getgrouplist fork vfork wait waitpid wait3 wait4 \
    waitid execv execve execvp execvpe execl execlp execle fexecve system kill killpg raise \
    sigemptyset sigfillset sigaddset sigdelset sigismember sigprocmask sigpending sigsuspend \
    sigwait sigwaitinfo sigtimedwait siginterrupt pthread_sigmask pthread_kill \
    alarm setitimer getitimer pause sleep usleep nanosleep clock_nanosleep sched_yield nice \
    getpriority setpriority getrlimit setrlimit getrlimit64 setrlimit64 getrusage prlimit \
    time gettimeofday settimeofday clock clock_gettime clock_getres clock_settime times mktime \
    timegm timelocal difftime strftime wcsftime strftime_l tzset stime adjtime ftime \
    rand srand rand_r random srandom drand48 lrand48 mrand48 srand48 erand48 nrand48 arc4random \
    arc4random_uniform arc4random_buf getrandom getentropy atoi atol atoll atof abs labs llabs \
    imaxabs div ldiv lldiv isalnum isalpha isascii isblank iscntrl isdigit isgraph islower \
    isprint ispunct isspace isupper isxdigit tolower toupper toascii setjmp _setjmp __sigsetjmp \
    sigsetjmp longjmp _longjmp siglongjmp __longjmp_chk setenv unsetenv clearenv freelocale \
    syslog closelog setlogmask vsyslog __syslog_chk __vsyslog_chk iconv_close \
    pthread_self pthread_equal pthread_detach pthread_cancel pthread_setcancelstate \
    pthread_setcanceltype pthread_testcancel pthread_mutex_init pthread_mutex_destroy \
    pthread_mutex_lock pthread_mutex_trylock pthread_mutex_unlock pthread_mutex_timedlock \
    pthread_mutexattr_init pthread_mutexattr_destroy pthread_mutexattr_settype \
    pthread_mutexattr_setpshared pthread_cond_init pthread_cond_destroy pthread_cond_wait \
    pthread_cond_timedwait pthread_cond_signal pthread_cond_broadcast pthread_condattr_init \
    pthread_condattr_destroy pthread_condattr_setclock pthread_rwlock_init \
    pthread_rwlock_destroy pthread_rwlock_rdlock pthread_rwlock_wrlock pthread_rwlock_unlock \
    pthread_rwlock_tryrdlock pthread_rwlock_trywrlock pthread_spin_init pthread_spin_lock \
    pthread_spin_trylock pthread_spin_unlock pthread_spin_destroy pthread_barrier_init \
    pthread_barrier_wait pthread_barrier_destroy pthread_attr_init pthread_attr_destroy \
    pthread_attr_setdetachstate pthread_attr_setstacksize pthread_attr_getstacksize \
    pthread_attr_getdetachstate pthread_attr_setscope pthread_setname_np pthread_getname_np \
    pthread_key_delete tss_delete pthread_setaffinity_np pthread_getaffinity_np \
    pthread_setschedparam pthread_getschedparam pthread_getcpuclockid thrd_join thrd_detach \
    mtx_init mtx_lock mtx_unlock mtx_destroy mtx_trylock cnd_init cnd_signal cnd_wait \
    cnd_broadcast cnd_destroy sem_init sem_destroy sem_wait sem_trywait sem_timedwait sem_post \
    sem_getvalue sched_setaffinity sched_getaffinity sched_getcpu sched_setscheduler \
    sched_get_priority_min sched_get_priority_max epoll_create epoll_create1 eventfd \
    timerfd_create timerfd_settime inotify_init inotify_init1 inotify_add_watch inotify_rm_watch \
    sin cos tan asin acos atan atan2 sinh cosh tanh asinh acosh atanh exp exp2 expm1 log log2 \
    log10 log1p pow sqrt cbrt hypot ceil floor round trunc rint nearbyint lround llround lrint \
    llrint fmod remainder fabs fmin fmax fdim fma copysign nan ldexp frexp modf scalbn scalbln \
    ilogb logb nextafter erf erfc tgamma lgamma isnan isinf finite sinf cosf tanf asinf acosf \
    atanf atan2f sinhf coshf tanhf expf exp2f logf log2f log10f powf sqrtf cbrtf ceilf floorf \
    roundf truncf rintf fmodf fabsf fminf fmaxf ldexpf frexpf modff sinl cosl tanl expl logl powl \
    sqrtl ceill floorl roundl truncl fmodl fabsl ldexpl frexpl modfl __isnan __isinf \
    __finite __fpclassify __signbit __isnanf __isinff __signbitf __fpclassifyf \
    daemon getloadavg endpwent setpwent endgrent setgrent \
    endhostent sethostent fnmatch getauxval get_nprocs \
    get_nprocs_conf getdtablesize setlinebuf fgetwc fputwc getwchar putwchar \
    unlockpt grantpt posix_openpt openpty forkpty login_tty setns unshare mount umount umount2 \
    reboot swapon swapoff prctl personality acct vhangup \
    __VERIFIER_assume __VERIFIER_error __VERIFIER_assert reach_error __VERIFIER_atomic_begin \
    __VERIFIER_atomic_end __VERIFIER_nondet_bool __VERIFIER_nondet_char __VERIFIER_nondet_uchar \
    __VERIFIER_nondet_short __VERIFIER_nondet_ushort __VERIFIER_nondet_int \
    __VERIFIER_nondet_uint __VERIFIER_nondet_long __VERIFIER_nondet_ulong \
    __VERIFIER_nondet_longlong __VERIFIER_nondet_ulonglong __VERIFIER_nondet_float \
    __VERIFIER_nondet_double __VERIFIER_nondet_size_t __VERIFIER_nondet_unsigned \
    __VERIFIER_nondet_u8 __VERIFIER_nondet_u16 __VERIFIER_nondet_u32 __VERIFIER_nondet_u64 \
    svf_assert svf_assert_eq \
    __cegas_gap __cegas_assume_later __cegas_is_number __cegas_number __cegas_unknown_int \
    __cegas_unknown_long \
    MUSTALIAS MAYALIAS NOALIAS PARTIALALIAS EXPECTEDFAIL_MAYALIAS EXPECTEDFAIL_NOALIAS \
    EXPECTEDFAIL_MUSTALIAS EXPECTEDFAIL_PARTIALALIAS";

/// Functions by name, and what they do to pointers.
pub(super) type Table = FxHashMap<&'static str, &'static [Effect]>;

/// The table of rows of names, and of names of functions that do nothing to pointers.
pub(super) fn table(rows: &[(&'static str, &'static [Effect])], harmless: &'static str) -> Table {
    let harmless = harmless.split_whitespace().map(|name| (name, &[] as &[Effect]));
    let named = rows
        .iter()
        .flat_map(|&(names, effects)| names.split_whitespace().map(move |name| (name, effects)));
    harmless.chain(named).collect()
}

static TABLE: LazyLock<Table> = LazyLock::new(|| table(EFFECTS, HARMLESS));

/// What the function of this name does to pointers; none if we do not know it.
pub fn effects(name: &str) -> Option<&'static [Effect]> {
    TABLE.get(name).copied()
}

/// Whether the function calls one that it is given, now or later.
pub fn calls_back(name: &str) -> bool {
    let calls =
        |effect: &Effect| matches!(effect, Calls { .. } | CallsFor { .. } | CallsContent { .. });
    effects(name).is_some_and(|effects| effects.iter().any(calls))
}

/// Whether the function returns memory that nothing else points to yet.
pub fn allocates(name: &str) -> bool {
    let fresh = |effect: &Effect| matches!(effect, Allocates(_) | Reallocates { .. });
    effects(name).is_some_and(|effects| effects.iter().any(fresh))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_there_once() {
        let names = EFFECTS.iter().flat_map(|(names, _)| names.split_whitespace());
        let mut all: Vec<&str> = names.chain(HARMLESS.split_whitespace()).collect();
        all.sort_unstable();
        let twice: Vec<_> = all.windows(2).filter(|pair| pair[0] == pair[1]).collect();
        assert!(twice.is_empty(), "{twice:?}");
    }

    #[test]
    fn lookups() {
        assert!(allocates("malloc") && allocates("realloc") && !allocates("free"));
        assert_eq!(effects("strlen"), Some(&[] as &[Effect]));
        assert_eq!(effects("somebody_elses_function"), None);
    }
}
