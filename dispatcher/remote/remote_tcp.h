/*
 * remote_tcp.h - TCP connections, which TLS needs.
 */
#pragma once

#include "dispatcher/remote/remote_address.h"

/* Connect. @param name  for messages @return ST_OK or ST_EPEER (logged) */
status_t remote_tcp_connect(const remote_port_t *to, const char *name,
                            int *out) MUST_CHECK;

/* Listen at an address, without waiting; "": this machine only.
 * @return ST_OK or ST_EIO (logged) */
status_t remote_tcp_listen(const remote_port_t *at, int *out) MUST_CHECK;

/* The address of the other end, for messages. */
void remote_tcp_peer(int fd, char *out, size_t size);
