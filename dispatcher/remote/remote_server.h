/*
 * remote_server.h - the process of a server that listens, and those that it starts: one
 * serves one client each; where clients have keys, another one finds out who a client is,
 * and carries its stream (remote_tls.h).
 */
#pragma once

#include "dispatcher/remote/remote_control.h"
#include "dispatcher/remote/remote_limits.h"

typedef struct {
    int fd;      /* listens, without waiting; closed */
    int control; /* likewise, for who runs the server (remote_admin.h); -1: none */
    const char *limits_path; /* a file, read for each client; or NULL */
    remote_limits_t limits;  /* of it, until it has been read again; taken over */
    user_limits_t fallback;  /* of what it does not say; clients and weight are given */
    int n_warm;              /* processes that wait for a client */
    int64_t cache_bytes;     /* of inputs that are kept; 0: none are */
    char *const *serve;      /* [..] up to a NULL: arguments of a process that serves a
                              * client; the first one is a name only */
    char *const *greet; /* of one that finds out who a client is; NULL: the kernel knows
                         */
} remote_server_t;

/* Serve clients until SIGTERM or SIGINT. The processes are this program, with a socket
 * for packets (remote_control.h) as stdin, and end with this one. */
void remote_serve(const remote_server_t *s);
