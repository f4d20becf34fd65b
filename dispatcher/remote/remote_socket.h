/*
 * remote_socket.h - Unix sockets of servers: connecting and listening.
 */
#pragma once

#include "io/base/status.h"

#include <stdbool.h>

/* Connect. @param name  for messages @return ST_OK or ST_EPEER (logged) */
status_t remote_socket_connect(const char *path, const char *name, int *out) MUST_CHECK;

/*
 * Listen, without waiting.  What an ended server has left there is removed.
 *
 * The socket has mode 0660: this user and this group may connect.
 *
 * @return ST_OK or ST_EIO (logged)
 */
status_t remote_socket_listen(const char *path, int *out) MUST_CHECK;

/*
 * Take the socket that systemd has opened for this process (sd_listen_fds(3)).
 *
 * @param out      it listens, without waiting
 * @param is_unix  out: whether it is a Unix socket
 * @return whether there is one, and no other
 */
bool remote_socket_inherited(int *out, bool *is_unix);
