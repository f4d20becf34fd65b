/*
 * sync_ahead.h - a thread that syncs a file to disk again and again while it is written,
 * so that the last sync finds little left.
 */
#pragma once

typedef struct sync_ahead sync_ahead_t;

/*
 * Start the thread.
 *
 * @param fd  stays open until sync_ahead_end
 * @return NULL if it cannot be started: the last sync then does all the work
 */
sync_ahead_t *sync_ahead_begin(int fd);

/*
 * End the thread, after the sync that it is in.
 *
 * The system reports a failed write once: after an error here, a later fsync may succeed
 * although data is lost.
 *
 * @param s  may be NULL
 * @return 0, or the errno of a sync that failed
 */
int sync_ahead_end(sync_ahead_t *s);
