/*
 * remote_socket.c - Unix sockets of servers.
 */
#include "dispatcher/remote/remote_socket.h"

#include "io/base/logmsg.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { WAITING_MAX = 64 };

/* @return whether the path fits */
static bool make_address(const char *path, struct sockaddr_un *out)
{
    *out = (struct sockaddr_un){.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof(out->sun_path))
        return false;
    strcpy(out->sun_path, path);
    return true;
}

static int connect_to(const struct sockaddr_un *address)
{
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int code;

    if (fd < 0 || connect(fd, (const struct sockaddr *)address, sizeof(*address)) == 0)
        return fd;
    code = errno;
    close(fd);
    errno = code;
    return -1;
}

static const struct {
    const char *option, *who;
    mode_t mode;
} uses[] = {[SOCKET_CLIENTS] = {"socket", "be of its group", 0660},
            [SOCKET_CONTROL] = {"control", "be its user", 0600}};

status_t remote_socket_connect(socket_use_t use, const char *path, const char *name,
                               int *out)
{
    struct sockaddr_un address;

    errno = ENAMETOOLONG;
    if (make_address(path, &address) && (*out = connect_to(&address)) >= 0)
        return ST_OK;
    log_error(
        "%s: cannot connect: %s; start `ribogrid serve-device --%s %s` there, and %s",
        name, strerror(errno), uses[use].option, path, uses[use].who);
    return ST_EPEER;
}

/* What an earlier server has left may be removed. */
static void remove_unused(const struct sockaddr_un *address)
{
    struct stat info;
    const int fd = connect_to(address);

    if (fd >= 0)
        close(fd);
    else if (errno == ECONNREFUSED && lstat(address->sun_path, &info) == 0 &&
             S_ISSOCK(info.st_mode))
        unlink(address->sun_path);
}

status_t remote_socket_listen(socket_use_t use, const char *path, int *out)
{
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    struct sockaddr_un address;
    mode_t before;
    bool is_bound = false;

    errno = ENAMETOOLONG;
    if (fd >= 0 && make_address(path, &address)) {
        remove_unused(&address);
        before = umask(~uses[use].mode & 0777);
        is_bound = bind(fd, (const struct sockaddr *)&address, sizeof(address)) == 0;
        umask(before);
    }
    if (is_bound && listen(fd, WAITING_MAX) == 0) {
        *out = fd;
        return ST_OK;
    }
    log_error("%s: cannot listen: %s; give --%s another path, or end the server that has "
              "it",
              path, strerror(errno), uses[use].option);
    if (fd >= 0)
        close(fd);
    return ST_EIO;
}

bool remote_socket_inherited(int *out, bool *is_unix)
{
    enum { FIRST = 3 }; /* SD_LISTEN_FDS_START */
    const char *pid = getenv("LISTEN_PID"), *n = getenv("LISTEN_FDS");
    struct sockaddr_storage address;
    socklen_t len = sizeof(address);

    if (pid == NULL || n == NULL || strtol(pid, NULL, 10) != (long)getpid() ||
        strcmp(n, "1") != 0 ||
        getsockname(FIRST, (struct sockaddr *)&address, &len) != 0 ||
        fcntl(FIRST, F_SETFD, FD_CLOEXEC) != 0 ||
        fcntl(FIRST, F_SETFL, fcntl(FIRST, F_GETFL) | O_NONBLOCK) != 0)
        return false;
    *out = FIRST;
    *is_unix = address.ss_family == AF_UNIX;
    return true;
}
