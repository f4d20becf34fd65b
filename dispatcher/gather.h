/*
 * gather.h - rank 0 has the keepers copy their shards of the log into its own, all at the
 * same time, when the run has ended well.
 */
#pragma once

#include "dispatcher/protocol.h"

/* Zeroed: not begun. */
typedef struct {
    bool has_begun;
    int n_left;  /* keepers that have not answered */
    int64_t end; /* of the log, when all have */
} gather_t;

/*
 * Begin: all ranks have stopped, and every task is finished.
 *
 * @param log_bytes  [n_ranks] as in stopped_t
 * @return ST_OK, ST_ENOMEM, ST_EIO or the transport's
 */
status_t gather_begin(gather_t *g, job_t *job, transport_t *t,
                      const int64_t *log_bytes) MUST_CHECK;

/* Note a keeper's COPIED; after the last one the log is complete. @return ST_OK or ST_EIO
 */
status_t gather_note(gather_t *g, job_t *job, const message_t *m) MUST_CHECK;
