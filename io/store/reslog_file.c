/*
 * reslog_file.c - system calls for the file of a log.
 */
#include "io/store/reslog_file.h"

#include "io/base/logmsg.h"
#include "io/file/whole_file.h"
#include "io/store/reslog.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { POLL_US = 200000 };

status_t reslog_file_fail(const char *path, const char *verb)
{
    log_error("%s: cannot %s: %s; finished work stays in it: free disk space or repair "
              "the disk, then run again with --resume",
              path, verb, strerror(errno));
    return ST_EIO;
}

status_t reslog_file_end(const char *path)
{
    return errno == ENODATA ? ST_OK : reslog_file_fail(path, "read");
}

bool reslog_file_put(int fd, const void *data, size_t len, int64_t at)
{
    const char *p = data;

    while (len > 0) {
        ssize_t n = pwrite(fd, p, len, at);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        p += n;
        at += n;
        len -= (size_t)n;
    }
    return true;
}

bool reslog_file_get(int fd, void *data, size_t len, int64_t at)
{
    char *p = data;

    while (len > 0) {
        ssize_t n = pread(fd, p, len, at);

        if (n < 0 && errno == EINTR)
            continue;
        if (n == 0)
            errno = ENODATA;
        if (n <= 0)
            return false;
        p += n;
        at += n;
        len -= (size_t)n;
    }
    return true;
}

/* An open-file-description lock: released when the process ends, even when it is killed,
 * and it works over NFS. */
static status_t take_lock(const char *path, int fd)
{
    const int tries = RESLOG_LOCK_WAIT_S * (1000000 / POLL_US);

    for (int i = 0; i <= tries; i++) {
        struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

        if (fcntl(fd, F_OFD_SETLK, &lock) == 0)
            return ST_OK;
        if (errno != EAGAIN && errno != EACCES)
            return reslog_file_fail(path, "lock it");
        if (i == 0)
            log_info("%s: another run holds it; waiting up to %d s", path,
                     RESLOG_LOCK_WAIT_S);
        usleep(POLL_US);
    }
    log_error("%s: another run holds it; wait for that run or stop it", path);
    return ST_EBUSY;
}

static status_t check_kind(const char *path, mode_t mode)
{
    if (S_ISREG(mode))
        return ST_OK;
    log_error(
        "%s is %s, where the log of finished work has to be a regular file; move it "
        "away, or give another -o",
        path,
        S_ISLNK(mode)    ? "a symbolic link"
        : S_ISDIR(mode)  ? "a directory"
        : S_ISFIFO(mode) ? "a pipe"
                         : "a device or socket");
    return ST_EINPUT;
}

status_t reslog_file_check(const char *path)
{
    struct stat info;

    return lstat(path, &info) == 0 ? check_kind(path, info.st_mode) : ST_OK;
}

static status_t cannot_open(const char *path, reslog_file_how_t how)
{
    log_error("%s: cannot open: %s; %s", path, strerror(errno),
              how >= RESLOG_FILE_THERE
                  ? "all nodes have to share the folder of several logs: choose another "
                    "-o, or give --log-shards 1"
                  : "choose another -o");
    return ST_EIO;
}

status_t reslog_file_open(const char *path, reslog_file_how_t how, int *fd)
{
    static const int flags[] = {O_RDWR | O_CREAT, O_RDWR | O_CREAT | O_EXCL, O_RDWR,
                                O_RDONLY};
    status_t st = reslog_file_check(path);
    struct stat info;

    *fd = -1;
    if (st != ST_OK)
        return st;
    /* what has become a pipe or a link since then neither blocks nor is followed */
    *fd = open(path, flags[how] | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
    if (*fd < 0 && how == RESLOG_FILE_NEW && errno == EEXIST) {
        log_error("%s: another run with this output has just begun; wait for that run, "
                  "stop it, or give another -o",
                  path);
        return ST_EBUSY;
    }
    if (*fd < 0 || fstat(*fd, &info) != 0)
        return cannot_open(path, how);
    if ((st = check_kind(path, info.st_mode)) != ST_OK || how == RESLOG_FILE_READ)
        return st;
    if ((st = take_lock(path, *fd)) != ST_OK)
        return st;
    return whole_file_has_name(*fd, path) ? ST_OK : ST_EDONE;
}
