/*
 * nw_trace.h - finding a pair's canonical alignment, once its numbers are known.
 *
 * The alignment is that of nw_reference.h, found again in less memory: they say which
 * cells can be on its way, and what is followed back is computed once more, a block of
 * antidiagonals at a time.
 */
#ifndef RIBOGRID_KERNELS_ALIGN_CPU_NW_TRACE_H
#define RIBOGRID_KERNELS_ALIGN_CPU_NW_TRACE_H

#include "io/seq/cigar.h"
#include "kernels/align/common/nw_reference.h"
#include "kernels/device/device.h"

/* One thread's tracer; scratch grows on demand. */
typedef struct nw_trace nw_trace_t;

/*
 * Make a tracer.
 *
 * @param spec    borrowed until destroy
 * @param cancel  as in align_run_t
 * @param level   of the vectors that it may use
 * @return ST_OK or ST_ENOMEM
 */
status_t nw_trace_create(const align_spec_t *spec, const int *cancel, simd_level_t level,
                         nw_trace_t **out) MUST_CHECK;

/*
 * Append the runs of a pair's canonical alignment, the first first.
 *
 * Takes time for a band as wide as the pair's gaps ask for, and memory for some thousand
 * of its lines.  Once cancelled it may append anything.
 *
 * @param a, b   [m], [n] codes of query and target; m, n >= 1
 * @param known  the pair's numbers, with columns > 0
 * @param runs   uint32_t each
 * @return ST_OK or ST_ENOMEM
 */
status_t nw_trace_pair(nw_trace_t *t, const uint8_t *a, int64_t m, const uint8_t *b,
                       int64_t n, const nw_cell_t *known, buf_t *runs) MUST_CHECK;

/* Takes NULL. */
void nw_trace_destroy(nw_trace_t *t);

#endif
