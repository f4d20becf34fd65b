/*
 * remote_socket.h - Unix sockets of servers: connecting, listening, and the processes
 * that serve one client each.
 */
#pragma once

#include "io/base/status.h"

/* Connect. @param name  for messages @return ST_OK or ST_EPEER (logged) */
status_t remote_socket_connect(const char *path, const char *name, int *out) MUST_CHECK;

/*
 * Listen until SIGTERM or SIGINT, and start a process for each client: this program, as
 * `argv`, with the client as its stdin and stdout.  The processes end with this one.
 *
 * The socket has mode 0660: this user and this group may connect.
 *
 * @param max_clients  of a user at the same time; others are not served
 * @param argv  [..] up to a NULL; argv[0] is a name only
 * @return ST_OK once a signal has ended it, or ST_EIO (logged)
 */
status_t remote_socket_serve(const char *path, int max_clients,
                             char *const *argv) MUST_CHECK;
