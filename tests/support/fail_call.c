/*
 * fail_call.c - a library to preload: it counts the calls that write below a folder, and
 * one of them fails.
 *
 *   FAIL_CALL_LIST=calls.txt FAIL_CALL_FOLDER=/tmp/x FAIL_CALL_AT=3 FAIL_CALL_ERRNO=5
 *   LD_PRELOAD=libfail_call.so ribogrid ...
 *
 * Each call is a line of the list, "write /tmp/x/reads.fa"; the one of number
 * FAIL_CALL_AT (from 1; 0: none) does nothing and fails with FAIL_CALL_ERRNO, but close
 * closes.  With FAIL_CALL_ERRNO=0 the process is killed instead, before the call.
 * Children that are forked go on counting.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static char folder[PATH_MAX];
static size_t folder_len; /* 0: nothing fails */
static long fail_at;
static int fail_errno;
static int list = -1;
static atomic_long *n_calls; /* shared with children */

__attribute__((constructor)) static void begin(void)
{
    const char *path = getenv("FAIL_CALL_FOLDER"), *at = getenv("FAIL_CALL_AT"),
               *number = getenv("FAIL_CALL_ERRNO"), *to = getenv("FAIL_CALL_LIST");

    if (path == NULL || at == NULL || number == NULL || to == NULL ||
        realpath(path, folder) == NULL)
        return;
    fail_at = strtol(at, NULL, 10);
    fail_errno = (int)strtol(number, NULL, 10);
    list = open(to, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    n_calls = mmap(NULL, sizeof(*n_calls), PROT_READ | PROT_WRITE,
                   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (list >= 0 && n_calls != MAP_FAILED)
        folder_len = strlen(folder);
}

static bool is_below(const char *path)
{
    return folder_len > 0 && strncmp(path, folder, folder_len) == 0 &&
           (path[folder_len] == '/' || path[folder_len] == '\0');
}

/* Count a call. @return whether it is to fail; errno is set then */
static bool fails(const char *call, const char *path)
{
    char line[PATH_MAX + 32];
    int len, before = errno;
    bool now;

    if (!is_below(path))
        return false;
    now = atomic_fetch_add(n_calls, 1) + 1 == fail_at;
    len = snprintf(line, sizeof(line), "%s %s\n", call, path);
    syscall(SYS_write, list, line, (size_t)len);
    if (now && fail_errno == 0)
        kill(getpid(), SIGKILL);
    errno = now ? fail_errno : before;
    return now;
}

/* Find out the path of a file. @return whether it is below the folder */
static bool path_of(int fd, char path[PATH_MAX])
{
    char link[32];
    ssize_t len;
    int before = errno;

    if (folder_len == 0)
        return false;
    snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
    len = readlink(link, path, PATH_MAX - 1);
    errno = before;
    path[len > 0 ? len : 0] = '\0';
    return is_below(path);
}

static bool fd_fails(const char *call, int fd)
{
    char path[PATH_MAX];

    return path_of(fd, path) && fails(call, path);
}

/* Of a rename: the file's name comes last. */
static bool name_fails(const char *call, const char *name)
{
    char copy[PATH_MAX], path[2 * PATH_MAX], *slash;
    int before = errno;
    size_t len;

    if (folder_len == 0 || strlen(name) >= sizeof(copy))
        return false;
    strcpy(copy, name);
    slash = strrchr(copy, '/');
    if (slash != NULL)
        *slash = '\0';
    if (realpath(slash == NULL ? "." : copy, path) == NULL)
        return false;
    errno = before;
    len = strlen(path);
    snprintf(path + len, sizeof(path) - len, "/%s", slash != NULL ? slash + 1 : copy);
    return fails(call, path);
}

/* ISO C has no pointer to an object that is a function's. */
#define NEXT(name)                 \
    static __typeof__(&name) next; \
    if (next == NULL)              \
    *(void **)(void *)&next = dlsym(RTLD_NEXT, #name)

#define ON_FD(type, name, parameters, ...)                   \
    type name parameters                                     \
    {                                                        \
        NEXT(name);                                          \
        return fd_fails(#name, fd) ? -1 : next(__VA_ARGS__); \
    }

ON_FD(ssize_t, write, (int fd, const void *data, size_t len), fd, data, len)
ON_FD(ssize_t, pwrite, (int fd, const void *data, size_t len, off_t at), fd, data, len,
      at)
ON_FD(ssize_t, pwrite64, (int fd, const void *data, size_t len, off64_t at), fd, data,
      len, at)
ON_FD(ssize_t, writev, (int fd, const struct iovec *v, int n), fd, v, n)
ON_FD(ssize_t, pwritev, (int fd, const struct iovec *v, int n, off_t at), fd, v, n, at)
ON_FD(ssize_t, pwritev64, (int fd, const struct iovec *v, int n, off64_t at), fd, v, n,
      at)
ON_FD(ssize_t, sendfile, (int fd, int from, off_t *at, size_t len), fd, from, at, len)
ON_FD(ssize_t, sendfile64, (int fd, int from, off64_t *at, size_t len), fd, from, at, len)
ON_FD(int, ftruncate, (int fd, off_t len), fd, len)
ON_FD(int, ftruncate64, (int fd, off64_t len), fd, len)
ON_FD(int, fsync, (int fd), fd)
ON_FD(int, fdatasync, (int fd), fd)

/* Only of files that were open for writing. */
int close(int fd)
{
    char path[PATH_MAX];
    int before = errno, flags;
    bool failed = false;
    NEXT(close);

    if (path_of(fd, path)) {
        flags = fcntl(fd, F_GETFL);
        errno = before;
        failed = flags >= 0 && (flags & O_ACCMODE) != O_RDONLY && fails("close", path);
    }
    return next(fd) == 0 && !failed ? 0 : (errno = failed ? fail_errno : errno, -1);
}

int rename(const char *from, const char *to)
{
    NEXT(rename);
    return name_fails("rename", to) ? -1 : next(from, to);
}

int renameat2(int from_at, const char *from, int to_at, const char *to, unsigned flags)
{
    NEXT(renameat2);
    return name_fails("renameat2", to) ? -1 : next(from_at, from, to_at, to, flags);
}

int link(const char *from, const char *to)
{
    NEXT(link);
    return name_fails("link", to) ? -1 : next(from, to);
}

int linkat(int from_at, const char *from, int to_at, const char *to, int flags)
{
    NEXT(linkat);
    return name_fails("linkat", to) ? -1 : next(from_at, from, to_at, to, flags);
}

/* Streams call the system past us: those below the folder get functions of ours. */
static ssize_t stream_write(void *cookie, const char *data, size_t len)
{
    ssize_t n = write((int)(intptr_t)cookie, data, len);

    return n < 0 ? 0 : n;
}

static int stream_close(void *cookie)
{
    return close((int)(intptr_t)cookie);
}

/* The last of them, whose descriptor glibc does not know: some get a label by it. */
static struct {
    FILE *stream;
    int fd;
} opened[8];
static atomic_uint n_opened;

FILE *fdopen(int fd, const char *mode)
{
    const cookie_io_functions_t ours = {.write = stream_write, .close = stream_close};
    const unsigned n_kept = sizeof(opened) / sizeof(opened[0]);
    char path[PATH_MAX];
    FILE *stream;
    NEXT(fdopen);

    if (mode[0] != 'w' || !path_of(fd, path))
        return next(fd, mode);
    stream = fopencookie((void *)(intptr_t)fd, mode, ours);
    if (stream != NULL) {
        const unsigned at = atomic_fetch_add(&n_opened, 1) % n_kept;

        opened[at].fd = fd;
        opened[at].stream = stream;
    }
    return stream;
}

int fileno(FILE *stream)
{
    NEXT(fileno);
    const int fd = next(stream);

    for (size_t i = 0; fd < 0 && i < sizeof(opened) / sizeof(opened[0]); i++)
        if (opened[i].stream == stream)
            return opened[i].fd;
    return fd;
}
