/*
 * keeper.h - a rank that keeps a shard of the log: it stores the results of its ranks as
 * rank 0 stores others, and tells rank 0 which tasks are stored.
 */
#pragma once

#include "dispatcher/protocol.h"

/* Milliseconds between two reports: rank 0 has many keepers, and workers hold a second's
 * tasks. */
enum { KEEPER_REPORT_MS = 10 };

typedef struct keeper keeper_t;

/* @param job  with its log open; borrowed, as is the transport
 * @return ST_OK or ST_ENOMEM */
status_t keeper_create(job_t *job, transport_t *t, keeper_t **out) MUST_CHECK;

/* Act on RESULT, LAST or COPY; takes the data over. @return ST_OK or ST_ENOMEM */
status_t keeper_receive(keeper_t *k, message_t *m) MUST_CHECK;

/* @return whether the disk is so far behind that no results should be received for now */
bool keeper_is_full(const keeper_t *k);

/*
 * The rank's own worker has stopped: end when all results are stored.
 *
 * @param stopped  sent to rank 0 then
 * @param until    how long ranks that do not stop are waited for (clock_now_s)
 */
void keeper_stop(keeper_t *k, const stopped_t *stopped, double until);

/* Send rank 0 what was stored since, and that the log has failed, ended or is copied.
 * @return ST_OK, ST_ENOMEM or the transport's */
status_t keeper_step(keeper_t *k) MUST_CHECK;

/* Takes NULL. */
void keeper_destroy(keeper_t *k);
