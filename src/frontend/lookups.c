/* Loaded into clang: writes down each file it asked the system for and whether that was there, so that a header which
 * appears later, earlier on the include path, is noticed. Records are `+path` or `-path` with a zero behind; `.` alone
 * ends a log that nothing is missing from. Only what LLVM's file system calls is here; a clang that calls
 * something else leaves its source file out of the log, which the reader takes for no log at all. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

static int log_file = -1, broken;

static void put(const char *mark, const char *path, size_t bytes) {
    int kept = errno;
    struct iovec parts[] = {{(void *)mark, 1}, {(void *)path, bytes}};
    if (log_file < 0 || writev(log_file, parts, 2) != (ssize_t)(bytes + 1)) broken = 1;
    errno = kept;
}

static int told(const char *path, int result) {
    put(result < 0 ? "-" : "+", path, strlen(path) + 1);
    return result;
}

__attribute__((constructor)) static void begin(void) {
    const char *name = getenv("CEGAS_LOOKUPS");
    if (name) log_file = openat(AT_FDCWD, name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

__attribute__((destructor)) static void end(void) {
    if (!broken) put(".", "", 1);
}

static int opened(const char *path, int flags, va_list more) {
    int mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(more, int) : 0;
    int result = openat(AT_FDCWD, path, flags, mode);
    return (flags & O_ACCMODE) == O_RDONLY ? told(path, result) : result;
}

int open(const char *path, int flags, ...) {
    va_list more;
    va_start(more, flags);
    int result = opened(path, flags, more);
    va_end(more);
    return result;
}

int open64(const char *path, int flags, ...) {
    va_list more;
    va_start(more, flags);
    int result = opened(path, flags, more);
    va_end(more);
    return result;
}

int stat(const char *path, struct stat *out) { return told(path, fstatat(AT_FDCWD, path, out, 0)); }
int stat64(const char *path, struct stat64 *out) { return told(path, fstatat64(AT_FDCWD, path, out, 0)); }
int lstat(const char *path, struct stat *out) { return told(path, fstatat(AT_FDCWD, path, out, AT_SYMLINK_NOFOLLOW)); }
int lstat64(const char *path, struct stat64 *out) { return told(path, fstatat64(AT_FDCWD, path, out, AT_SYMLINK_NOFOLLOW)); }
int access(const char *path, int mode) { return told(path, faccessat(AT_FDCWD, path, mode, 0)); }
