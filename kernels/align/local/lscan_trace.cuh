/*
 * lscan_trace.cuh - traces the local alignments of a batch whose numbers and ends are
 * known, for CIGARs.
 *
 * An alignment of c columns, M of them matches, has at most G = c - M letters in gaps. So
 * its path lies in the c rows and columns in front of its end, and in the band of 2 G + 1
 * diagonals around that of the end.  A thread sweeps this band once more and keeps 4 bits
 * per cell: the last step of the path to it.
 *
 * Cells outside of the band are taken for empty paths, so no cell exceeds its value in
 * the whole matrix.  Every prefix of the path, and every other path to one of its cells
 * with the same numbers, is the beginning of an alignment with the pair's numbers and
 * end; so it lies in the band, and the cells of the path and their ties are those of the
 * whole matrix.
 */
#pragma once

#include "kernels/align/local/lscan_layout.cuh"

struct lscan_trace_t;

/*
 * Prepare.  Everything in the context is borrowed, and so is the batch.
 *
 * @param max_len  letters of a sequence
 * @return ST_OK, ST_ENOMEM or ST_EDEVICE
 */
status_t lscan_trace_create(const align_context_t *context, const cuda_batch_t *batch,
                            int64_t max_len, lscan_trace_t **out) MUST_CHECK;

/* @return [n_sequences] on the device: the order of nw_reference_query_is_rows */
const int *lscan_trace_rank(const lscan_trace_t *t);

/* Enqueue: trace the pairs of a batch.
 * @param launch  that of the sweep that found their results and ends */
status_t lscan_trace_run(lscan_trace_t *t, const cuda_work_t *work,
                         const lscan_launch_t &launch);

/* Takes NULL; no batch may be in flight. */
void lscan_trace_destroy(lscan_trace_t *t);
