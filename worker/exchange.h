/*
 * exchange.h - what ranks say to all others before and after the work: collective calls.
 *
 * Every rank calls the same functions in the same order.  With one rank they copy.
 */
#ifndef RIBOGRID_WORKER_EXCHANGE_H
#define RIBOGRID_WORKER_EXCHANGE_H

#include "io/base/status.h"

#include <stddef.h>

typedef struct exchange {
    int rank, n_ranks;

    /* Rank 0's data to every rank. @return ST_OK or ST_EPEER */
    status_t (*broadcast)(struct exchange *x, void *data, size_t len);

    /* Every rank's data to every rank. @param out  [n_ranks][len] */
    status_t (*gather)(struct exchange *x, const void *in, size_t len, void *out);
} exchange_t;

/*
 * Find out whether all ranks are well.
 *
 * @return mine if it is an error, else the worst of the others' (they have logged it)
 */
status_t exchange_agree(exchange_t *x, status_t mine) MUST_CHECK;

#endif
