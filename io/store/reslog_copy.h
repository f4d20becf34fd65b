/*
 * reslog_copy.h - a rank copies the records of its shard into the first log, at a place
 * of its own, while other ranks copy theirs.
 *
 * The shard stays until the first log has all of them: before that, a run that ends
 * leaves a first log with a torn tail, and its shards.
 */
#pragma once

#include "io/store/reslog.h"

typedef struct reslog_copy reslog_copy_t;

/* Where a copied record is. */
typedef struct {
    int64_t task, payload_at; /* an offset in the first log */
} reslog_copied_t;

/*
 * Begin.
 *
 * @param shard  gets no more records; borrowed
 * @param first  the first log, which another rank has open
 * @param at     where the shard's first record goes
 * @return ST_OK, ST_ENOMEM or ST_EIO
 */
status_t reslog_copy_begin(const reslog_t *shard, const char *first, int64_t at,
                           reslog_copy_t **out) MUST_CHECK;

/* Copy a piece, and at the end wait for the disk. @param done  out: nothing is left
 * @return ST_OK or ST_EIO */
status_t reslog_copy_step(reslog_copy_t *c, bool *done) MUST_CHECK;

/* Append where the records are, a reslog_copied_t each. @return ST_OK or ST_ENOMEM */
status_t reslog_copy_places(const reslog_copy_t *c, int64_t n_tasks,
                            buf_t *out) MUST_CHECK;

/* Takes NULL. */
void reslog_copy_end(reslog_copy_t *c);
