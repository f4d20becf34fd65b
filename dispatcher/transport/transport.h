/*
 * transport.h - messages between ranks, one backend per means: in one process (one rank),
 * MPI, streams to remote devices (transport_stream.h), or simulated
 * (transport_simulated.c).
 *
 * No call waits for another rank, except those of the exchange: send takes the message
 * over, receive checks whether one has arrived.  Messages from one rank to another arrive
 * in order.  A rank may send to itself.  Messages may be larger than 2 GiB.  Only the
 * main thread calls a transport.
 */
#pragma once

#include "io/base/fifo.h"
#include "kernels/gang/gang.h"
#include "worker/exchange.h"
#include "worker/turns.h"

#include <stdbool.h>

/* The tag of a rank's last message where ranks may go: it is gone. */
enum { TRANSPORT_GONE = 1 << 9 };

typedef struct {
    int source;
    int tag;
    buf_t data; /* the receiver's */
} message_t;

/* What the server of a lent device orders: nothing; once, that a gang goes on elsewhere,
 * and may come back; that the run leaves the device, which is emptied. */
typedef enum { LENT_STAY, LENT_YIELD, LENT_LEAVE, LENT_N_ORDERS } lent_order_t;

/* How far a run is on such a device. */
typedef struct {
    int64_t n_tasks; /* or steps, done */
    bool is_busy;    /* it has some to do */
    double left_s;   /* a gang's: seconds to its end at this rate; < 0: not known */
} lent_progress_t;

/* A run's connection with that server. */
typedef struct lent {
    int n_others;   /* runs that computed on the device when this one came */
    turns_t *turns; /* of this run on the device */

    /* Called often. @param to  out: the rank at which a gang is to go on; 0: whichever
     * comes next @return what is ordered now */
    lent_order_t (*look)(struct lent *l, const lent_progress_t *now, int *to);
} lent_t;

typedef struct transport {
    exchange_t exchange; /* rank, n_ranks, and the calls that all ranks make together */

    /* Send; takes the memory of data over, and *data is empty afterwards. */
    status_t (*send)(struct transport *t, int to, int tag, buf_t *data);

    /* Receive a message if one has arrived. @param got  whether one has */
    status_t (*receive)(struct transport *t, message_t *out, bool *got);

    /* After receive: what this rank has sent is moving, as long as receive is called. */
    bool is_sending;

    /*
     * Begin a collective of a gang; find out whether it is complete on this rank.
     *
     * One at a time; its memory is in use until then.  Every rank begins the same ones in
     * the same order.  They do not get in the way of send and receive.  NULL where there
     * is one rank only.
     */
    status_t (*collective_begin)(struct transport *t, const collective_t *c);
    status_t (*collective_test)(struct transport *t, bool *done);

    /* Leave the other ranks with a collective that will not complete; every rank calls it
     * at the same time, and nothing but destroy after it.  NULL where there is one rank
     * only. */
    void (*leave)(struct transport *t);

    /* Where other ranks are no copies of this program that one user has started, what
     * they send is checked before it is used, and they may go at any time: end the stream
     * to a rank that sent what is wrong; TRANSPORT_GONE follows.  NULL where they are.
     * @param why  for messages: "sent ..." */
    void (*drop)(struct transport *t, int rank, const char *why);

    /* The end of a rank that leaves is expected: no line warns of it.  NULL with drop. */
    void (*dismiss)(struct transport *t, int rank);

    lent_t *lent; /* this rank's device is lent by a server that gives orders; or NULL */

    /* End all ranks with this exit code, without waiting for them; may not return. */
    void (*abandon)(struct transport *t, int exit_code);

    /* Takes NULL. */
    void (*destroy)(struct transport *t);

    /* Set by a run that cannot end like others.  A rank does not answer: when the outputs
     * exist, call abandon in place of destroy.  A thread of this process does not come
     * back: when they exist, after destroy, _exit. */
    bool has_silent_rank, has_stuck_thread;
} transport_t;

/* MPI's world, initialised here. @return ST_OK, ST_ENOMEM or ST_EPEER */
status_t transport_mpi_create(transport_t **out) MUST_CHECK;

/*
 * Choose: MPI under a launcher (Open MPI's, PMIx, PMI), else in one process.
 *
 * @return ST_OK, ST_ENOMEM, ST_EPEER, or ST_EUSAGE if Slurm started several tasks that do
 *         not know of each other
 */
status_t transport_create(transport_t **out) MUST_CHECK;

/* @return this process's rank by the launcher's environment, without MPI; 0 if there is
 *         no launcher that transport_create knows of */
int transport_launcher_rank(void);

/* @return whether there is such a launcher */
bool transport_has_launcher(void);

/* @return the MPI library's version, one line */
const char *transport_mpi_version(void);

/* message_queue.c: messages in order, first in, first out. */

/* Zeroed: empty. */
typedef struct {
    fifo_t items; /* of message_t */
} message_queue_t;

/* Append; takes the data over, and frees it on failure. @return ST_OK or ST_ENOMEM */
status_t message_queue_push(message_queue_t *q, int source, int tag,
                            buf_t *data) MUST_CHECK;

/* Take the oldest. @return whether there was one */
bool message_queue_pop(message_queue_t *q, message_t *out);

void message_queue_free(message_queue_t *q);
