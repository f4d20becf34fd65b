/*
 * job_align_pairs.h - which pairs of a batch's tiles the job "align" aligns: all of them,
 * or those that the filters pass.
 */
#ifndef RIBOGRID_WORKER_ALIGN_JOB_ALIGN_PAIRS_H
#define RIBOGRID_WORKER_ALIGN_JOB_ALIGN_PAIRS_H

#include "worker/align/job_align_state.h"

/*
 * Put tiles into a slot and list their pairs.
 *
 * Without a filter these are all pairs, row by row, and there are no pieces.  With one,
 * the first piece of the tiles is given to the filter; then, until pieces->is_done,
 * job_align_pairs_filter, job_align_edits_run and job_align_pairs_take follow each other.
 *
 * @return ST_OK, ST_ENOMEM or ST_EDEVICE
 */
status_t job_align_pairs_list(job_align_t *j, const int64_t *tiles, int n,
                              job_align_slot_t *slot,
                              job_align_pieces_t *pieces) MUST_CHECK;

/*
 * Have the filter rule out pairs of the current piece, and start on the next one.
 *
 * @return ST_OK, ST_ENOMEM, ST_EDEVICE; ST_ESTOPPED once the job is cancelled
 */
status_t job_align_pairs_filter(job_align_t *j, const job_align_slot_t *slot,
                                job_align_pieces_t *pieces) MUST_CHECK;

/*
 * Append what is left of the current piece to the slot.
 *
 * A piece that exceeds the pairs of a batch ends the batch before it: the slot then has
 * fewer tiles.  The first piece of a batch is filtered again in smaller pieces instead.
 */
status_t job_align_pairs_take(job_align_t *j, job_align_slot_t *slot,
                              job_align_pieces_t *pieces) MUST_CHECK;

/* Once the job is cancelled: leave the slot without pairs and the filter without work. */
status_t job_align_pairs_drop(job_align_t *j, job_align_slot_t *slot,
                              const job_align_pieces_t *pieces) MUST_CHECK;

/*
 * List the pairs of one rectangle that the k-mer filter passes, as the slot's only tile.
 *
 * @return ST_OK, ST_ENOMEM, ST_EDEVICE; ST_ESTOPPED once the job is cancelled
 */
status_t job_align_pairs_of_rect(job_align_t *j, tile_t rect,
                                 job_align_slot_t *slot) MUST_CHECK;

#endif
