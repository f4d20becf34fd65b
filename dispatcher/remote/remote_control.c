/*
 * remote_control.c - packets, some with a descriptor, between processes of a server.
 */
#include "dispatcher/remote/remote_control.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* Memory for a descriptor that goes along. */
typedef union {
    struct cmsghdr head;
    char bytes[CMSG_SPACE(sizeof(int))];
} ancillary_t;

bool control_pair(int ends[2])
{
    return socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) == 0;
}

bool control_send(int end, const control_t *m, int fd)
{
    ancillary_t along = {.head = {.cmsg_len = CMSG_LEN(sizeof(fd)),
                                  .cmsg_level = SOL_SOCKET,
                                  .cmsg_type = SCM_RIGHTS}};
    struct iovec part = {(void *)(uintptr_t)m, sizeof(*m)};
    struct msghdr packet = {.msg_iov = &part, .msg_iovlen = 1};

    if (fd >= 0) {
        memcpy(CMSG_DATA(&along.head), &fd, sizeof(fd));
        packet.msg_control = &along;
        packet.msg_controllen = sizeof(along);
    }
    return sendmsg(end, &packet, MSG_DONTWAIT | MSG_NOSIGNAL) == (ssize_t)sizeof(*m);
}

int control_receive(int end, bool waits, control_t *m, int *fd)
{
    ancillary_t along;
    struct iovec part = {m, sizeof(*m)};
    struct msghdr packet = {.msg_iov = &part,
                            .msg_iovlen = 1,
                            .msg_control = &along,
                            .msg_controllen = sizeof(along)};
    const struct cmsghdr *head;
    ssize_t n;

    *fd = -1;
    do
        n = recvmsg(end, &packet, MSG_CMSG_CLOEXEC | (waits ? 0 : MSG_DONTWAIT));
    while (n < 0 && errno == EINTR && waits);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return 0;
    /* there is room for one descriptor: the kernel closes others */
    if (n > 0 && (head = CMSG_FIRSTHDR(&packet)) != NULL &&
        head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_RIGHTS &&
        head->cmsg_len == CMSG_LEN(sizeof(*fd)))
        memcpy(fd, CMSG_DATA(head), sizeof(*fd));
    if (n == (ssize_t)sizeof(*m)) {
        m->user[sizeof(m->user) - 1] = '\0';
        return 1;
    }
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
    return -1;
}
