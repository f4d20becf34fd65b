/*
 * remote_socket.h - Unix sockets of servers: connecting and listening.
 */
#pragma once

#include "io/base/status.h"

#include <stdbool.h>

/* For clients: mode 0660, the server's user and group may connect; for who runs the
 * server (remote_admin.h): mode 0600, that user alone. */
typedef enum { SOCKET_CLIENTS, SOCKET_CONTROL } socket_use_t;

/* Connect. @param name  for messages @return ST_OK or ST_EPEER (logged) */
status_t remote_socket_connect(socket_use_t use, const char *path, const char *name,
                               int *out) MUST_CHECK;

/* Listen, without waiting.  What an ended server has left there is removed.
 * @return ST_OK or ST_EIO (logged) */
status_t remote_socket_listen(socket_use_t use, const char *path, int *out) MUST_CHECK;

/*
 * Take the socket that systemd has opened for this process (sd_listen_fds(3)).
 *
 * @param out      it listens, without waiting
 * @param is_unix  out: whether it is a Unix socket
 * @return whether there is one, and no other
 */
bool remote_socket_inherited(int *out, bool *is_unix);
