/*
 * reslog_shards.h - the logs of a run that several ranks keep: OUT.part, the first, which
 * is rank 0's, and the shards OUT.part.1, OUT.part.2, ... of others.
 *
 * Each is a log of its own (reslog.h), with the same text, and their number in its
 * header.  A shard lives as long as its run: its records are copied into the first log
 * when the run ends (reslog_copy.h), or by rank 0 when another run continues it, with
 * whatever number of ranks and shards.
 *
 * Only who has the first log's lock creates, takes over or removes shards.
 */
#pragma once

#include "io/store/reslog.h"

/* @return the name of a shard, from 1; NULL: no memory (logged); the caller frees it */
char *reslog_shards_path(const char *first, int shard);

/* @return whether there are shards of a log, of whichever run */
bool reslog_shards_exist(const char *first);

/* @return whether one of the shards of a log has a record, or cannot be read */
bool reslog_shards_have_records(const char *first);

/*
 * Create the shards of a run: each has a header and no records; their number is noted in
 * the first log.
 *
 * @param n_shards  logs of the run, with the first
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EBUSY
 */
status_t reslog_shards_create(reslog_t *first, const char *text, int64_t n_tasks,
                              int n_shards) MUST_CHECK;

/*
 * Take over the records of all shards that there are, and remove these.  Those that are
 * missing are logged, one line each.
 *
 * @param use  RESLOG_SHARD_KEEP: shards of an earlier run, some of whose ranks may not
 *             have ended yet; RESLOG_SHARD_READ: of this run, which is at its end;
 *             RESLOG_SHARD_DISCARD: their records are dropped
 * @return ST_OK, or as reslog_open: the shards stay then
 */
status_t reslog_shards_take(reslog_t *first, const char *text, int64_t n_tasks,
                            reslog_use_t use) MUST_CHECK;

/* Remove all shards of a log. */
void reslog_shards_remove(const char *first);
