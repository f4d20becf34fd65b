/*
 * transport.h - messages between ranks, a row a means: in-process (one rank), MPI, or
 * simulated (transport_simulated.h).
 *
 * Nothing here blocks: send takes the message over, receive looks whether one is there.
 * Messages from one rank to another arrive in order.  A rank may send to itself.  Only
 * the main thread calls a transport.
 */
#ifndef RIBOGRID_DISPATCHER_TRANSPORT_TRANSPORT_H
#define RIBOGRID_DISPATCHER_TRANSPORT_TRANSPORT_H

#include "io/base/buf.h"
#include "worker/exchange.h"

#include <stdbool.h>

typedef struct {
    int source;
    int tag;
    buf_t data; /* the receiver's */
} message_t;

typedef struct transport {
    exchange_t exchange; /* rank, n_ranks, and the collective calls */

    /* Send; data's memory is the transport's from here, and *data is empty. */
    status_t (*send)(struct transport *t, int to, int tag, buf_t *data);

    /* Receive if something is there. @param got  whether it was */
    status_t (*receive)(struct transport *t, message_t *out, bool *got);

    /* @return whether everything sent has left */
    bool (*is_idle)(struct transport *t);

    /* End without the others' consent, all of them with this exit code; may not return.
     */
    void (*abandon)(struct transport *t, int exit_code);

    /* Takes NULL. */
    void (*destroy)(struct transport *t);
} transport_t;

/* One rank, no MPI. @return ST_OK or ST_ENOMEM */
status_t transport_local_create(transport_t **out) MUST_CHECK;

/* MPI's world, initialised here. @return ST_OK, ST_ENOMEM or ST_EPEER */
status_t transport_mpi_create(transport_t **out) MUST_CHECK;

/*
 * Choose: MPI under a launcher (Open MPI's, PMIx, PMI), else in-process.
 *
 * @return ST_OK, ST_ENOMEM, ST_EPEER, or ST_EUSAGE if Slurm started several tasks that do
 *         not know of each other
 */
status_t transport_create(transport_t **out) MUST_CHECK;

/* @return the MPI library's version, one line */
const char *transport_mpi_version(void);

#endif
