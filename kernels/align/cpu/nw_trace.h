/*
 * nw_trace.h - traces a pair's canonical alignment once its score, matches and columns
 * are known.
 *
 * The result equals that of nw_reference.h in less memory: the known numbers limit the
 * cells that the path may visit, and on the way back these are computed once more, one
 * block of antidiagonals at a time.
 */
#pragma once

#include "io/seq/cigar.h"
#include "kernels/align/common/nw_reference.h"
#include "kernels/device/device.h"

/* Cells in which a local alignment may end: query bases first .. last, counted from 1,
 * against likewise bases of the target. */
typedef struct {
    int64_t query_first, query_last, target_first, target_last;
} nw_trace_ends_t;

/* A tracer, for one thread at a time; its memory grows on demand. */
typedef struct nw_trace nw_trace_t;

/*
 * Create a tracer.
 *
 * @param spec    borrowed until destroy
 * @param cancel  as in align_run_t
 * @param level   vectors that it may use
 * @return ST_OK or ST_ENOMEM
 */
status_t nw_trace_create(const align_spec_t *spec, const int *cancel, simd_level_t level,
                         nw_trace_t **out) MUST_CHECK;

/*
 * Append the runs of a pair's canonical alignment, from the first to the last.
 *
 * It takes time for a band as wide as the pair's gaps require, and memory for about a
 * thousand antidiagonals of the band.  Once cancelled, it may append anything.
 *
 * @param a, b   [m], [n] codes of query and target; m, n >= 1
 * @param known  the pair's numbers, with columns > 0
 * @param ends   of a local alignment: the canonical one ends in one of these; NULL: any.
 *               The fewer there are, the narrower is the band.
 * @param runs   uint32_t each
 * @return ST_OK or ST_ENOMEM
 */
status_t nw_trace_pair(nw_trace_t *t, const uint8_t *a, int64_t m, const uint8_t *b,
                       int64_t n, const nw_cell_t *known, const nw_trace_ends_t *ends,
                       buf_t *runs) MUST_CHECK;

/* Takes NULL. */
void nw_trace_destroy(nw_trace_t *t);
