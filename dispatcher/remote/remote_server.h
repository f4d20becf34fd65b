/*
 * remote_server.h - the process of a server that listens, and those that serve one client
 * each.
 */
#pragma once

#include "io/base/status.h"

#include <stdbool.h>

/*
 * Start a process for each client until SIGTERM or SIGINT: this program, as `argv`, with
 * the client as its stdin.  The processes end with this one.
 *
 * @param fd         listens, without waiting; closed
 * @param is_secret  the client is unknown until its process has found out, which then
 * writes its name to stdout.  Else the kernel knows its user, and stdout is the client,
 * too
 * @param max_clients  of a user at the same time; others are not served
 * @param argv  [..] up to a NULL; argv[0] is a name only
 */
void remote_serve(int fd, bool is_secret, int max_clients, char *const *argv);
