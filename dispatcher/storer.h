/*
 * storer.h - rank 0's thread that stores results: the only one that writes the log. Every
 * half second of work the log is synced, while further results are stored.
 */
#pragma once

#include "worker/job.h"

typedef struct storer storer_t;

/* As job_store and job_sync, which it calls unless a test has others. */
typedef status_t (*storer_store_fn)(job_t *job, int64_t task, int64_t version,
                                    const void *data, size_t len);
typedef status_t (*storer_sync_fn)(job_t *job);

/* Start it. @return ST_OK or ST_ENOMEM */
status_t storer_create(job_t *job, storer_store_fn store, storer_sync_fn sync,
                       storer_t **out) MUST_CHECK;

/*
 * Pass a result on to be stored; never waits for the disk.
 *
 * @param data  taken over; empty afterwards
 * @param skip  bytes of data in front of the result
 * @return ST_OK or ST_ENOMEM
 */
status_t storer_put(storer_t *s, int64_t task, int64_t version, buf_t *data,
                    size_t skip) MUST_CHECK;

/* Take note of a result that was stored since. @return whether there was one */
bool storer_poll(storer_t *s, int64_t *task, int64_t *version);

/* Wait until less than this many bytes are passed on and not yet stored, for some
 * milliseconds at most. @return whether that is so */
bool storer_has_room(storer_t *s, size_t bytes);

/* @return bytes passed on and not yet stored */
size_t storer_backlog(storer_t *s);

/* @return ST_OK, or why nothing is stored any more; it has been logged */
status_t storer_state(storer_t *s);

/* Store everything that was passed on, and end the threads. @param sync  wait until the
 * disk has it @return storer_state */
status_t storer_stop(storer_t *s, bool sync);

/* Free a stopped one; storer_poll first for the last results. Takes NULL. */
void storer_destroy(storer_t *s);
