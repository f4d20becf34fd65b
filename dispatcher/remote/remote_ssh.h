/*
 * remote_ssh.h - a stream to a server that ssh starts.
 */
#pragma once

#include "dispatcher/transport/transport_stream.h"

/*
 * Start `ssh -T HOST ribogrid serve-device --stdio`.
 *
 * SIGINT does not end it: the run stops in order.
 *
 * @param out  its name is set already
 * @return ST_OK or ST_EPEER (logged)
 */
status_t remote_ssh_start(const char *host, stream_end_t *out) MUST_CHECK;
