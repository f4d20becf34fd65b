/*
 * remote_client.h - the client's side of remote devices: a stream to each, and the
 * transport over them.
 */
#pragma once

#include "dispatcher/remote/remote_address.h"
#include "dispatcher/transport/transport.h"

/* What servers are told. */
typedef struct {
    const char *version; /* of this program, with its build */
    const char *command; /* its name */
    bool any;            /* one server suffices: those that are not there are gone */
    int n_words;         /* of its command line, behind the name */
    char *const *words;
} remote_command_t;

/*
 * Connect with each device of a list; it runs the same command, as one of its ranks.
 *
 * @param out  rank 0's transport
 * @return ST_OK, ST_ENOMEM, ST_EUSAGE (logged: the command line is too long), or ST_EPEER
 *         (logged: a server is not there, or refuses; of any: none is left)
 */
status_t remote_connect(const remote_list_t *list, const remote_command_t *command,
                        transport_t **out) MUST_CHECK;
