/*
 * remote_tcp.c - TCP connections.
 */
#include "dispatcher/remote/remote_tcp.h"

#include "dispatcher/remote/remote_hello.h"
#include "io/base/logmsg.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { WAITING_MAX = 64 };

/* Connect a socket that does not wait. @return whether it did; else errno says why */
static bool finish_connect(int fd, const struct addrinfo *a)
{
    struct pollfd p = {.fd = fd, .events = POLLOUT};
    int n, code = 0;
    socklen_t len = sizeof(code);

    if (connect(fd, a->ai_addr, a->ai_addrlen) == 0)
        return true;
    if (errno != EINPROGRESS)
        return false;
    do
        n = poll(&p, 1, HELLO_CLIENT_S * 1000);
    while (n < 0 && errno == EINTR);
    if (n == 0)
        code = ETIMEDOUT;
    else if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &code, &len) != 0)
        code = errno;
    errno = code;
    return code == 0;
}

/* @return a descriptor, or -1 */
static int open_one(const struct addrinfo *a, bool listens)
{
    const int fd = socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    const int one = 1;
    int code;

    if (fd < 0)
        return -1;
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
    if (listens) {
        (void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
        if (bind(fd, a->ai_addr, a->ai_addrlen) == 0 && listen(fd, WAITING_MAX) == 0)
            return fd;
    } else if (finish_connect(fd, a)) {
        return fd;
    }
    code = errno;
    close(fd);
    errno = code;
    return -1;
}

/* Try each address of a name. @return why it failed, or NULL */
static const char *open_any(const remote_port_t *at, bool listens, int *out)
{
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM,
                                   .ai_flags = listens ? AI_PASSIVE : 0};
    struct addrinfo *found = NULL;
    const int code = getaddrinfo(at->host[0] != '\0' ? at->host : "127.0.0.1", at->port,
                                 &hints, &found);

    if (code != 0)
        return code == EAI_SYSTEM ? strerror(errno) : gai_strerror(code);
    *out = -1;
    for (const struct addrinfo *a = found; *out < 0 && a != NULL; a = a->ai_next)
        *out = open_one(a, listens);
    freeaddrinfo(found);
    return *out < 0 ? strerror(errno) : NULL;
}

status_t remote_tcp_connect(const remote_port_t *to, const char *name, int *out)
{
    const char *why = open_any(to, false, out);

    if (why == NULL)
        return ST_OK;
    log_error(
        "%s: cannot connect: %s; check the address, and that `ribogrid serve-device "
        "--listen` runs there",
        name, why);
    return ST_EPEER;
}

status_t remote_tcp_listen(const remote_port_t *at, int *out)
{
    const char *why = open_any(at, true, out);

    if (why == NULL)
        return ST_OK;
    log_error("--listen: cannot listen at %s port %s: %s; give another address or port",
              at->host[0] != '\0' ? at->host : "127.0.0.1", at->port, why);
    return ST_EIO;
}

void remote_tcp_peer(int fd, char *out, size_t size)
{
    struct sockaddr_storage address;
    socklen_t len = sizeof(address);
    char host[NI_MAXHOST], port[NI_MAXSERV];

    if (getpeername(fd, (struct sockaddr *)&address, &len) == 0 &&
        getnameinfo((struct sockaddr *)&address, len, host, sizeof(host), port,
                    sizeof(port), NI_NUMERICHOST | NI_NUMERICSERV) == 0)
        snprintf(out, size, "a client at %s port %s", host, port);
    else
        snprintf(out, size, "a client");
}
