/*
 * share_set.h - rank 0 sends a sequence set to all other ranks.
 */
#ifndef RIBOGRID_WORKER_SHARE_SET_H
#define RIBOGRID_WORKER_SHARE_SET_H

#include "io/seq/seqset.h"
#include "worker/exchange.h"

/*
 * Send a set; every rank calls it.
 *
 * @param set  in on rank 0, out on the others, whose it is then
 * @return likewise on all ranks ST_OK, ST_ENOMEM or ST_EPEER
 */
status_t share_set(exchange_t *x, seqset_t **set) MUST_CHECK;

#endif
