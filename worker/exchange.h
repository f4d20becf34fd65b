/*
 * exchange.h - calls that all ranks make together, before and after the work.
 *
 * Every rank's main thread calls the same functions in the same order, and each call
 * waits for the others.  With one rank they only copy.
 */
#pragma once

#include "io/base/arrays.h"

typedef struct exchange {
    int rank, n_ranks;
    bool has_no_gangs; /* ranks are remote devices, which do not reach each other */
    double patience_s; /* rank 0 names those that do not answer for longer; 0: never */

    /* Copy rank 0's data to every rank. @return ST_OK or ST_EPEER */
    status_t (*broadcast)(struct exchange *x, void *data, size_t len);

    /* Copy the arrays of rank 0's object to every rank that does not have them already.
     * NULL: by broadcast */
    status_t (*share)(struct exchange *x, const array_span_t *spans, size_t n);

    /* Copy every rank's data to every rank. @param out  [n_ranks][len]
     * @return ST_OK or ST_EPEER */
    status_t (*allgather)(struct exchange *x, const void *in, size_t len, void *out);
} exchange_t;

/* @return that of a single rank, which calls no one */
exchange_t exchange_alone(void);

/*
 * Find out whether any rank has failed.
 *
 * @param mine  this rank's status
 * @return mine if it is an error; otherwise another rank's error, which that rank has
 *         logged, or ST_OK
 */
status_t exchange_agree(exchange_t *x, status_t mine) MUST_CHECK;

/*
 * Copy rank 0's object to every rank, without what stays (arrays.h).
 *
 * @param object  on other ranks: zeroed; out, on ST_OK, freed by the caller
 * @return likewise on all ranks ST_OK, ST_ENOMEM, ST_EINPUT or ST_EPEER
 */
status_t exchange_object(exchange_t *x, const arrays_t *a, void *object) MUST_CHECK;
