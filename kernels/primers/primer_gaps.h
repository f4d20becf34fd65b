/*
 * primer_gaps.h - places of primers with gaps: bases that a read has more, or lacks.
 *
 * The first and the last base of a primer are aligned with bases of the read, and so are
 * all that have to match, side by side.  Between others there may be gaps.
 */
#pragma once

#include "kernels/primers/primer_backend.h"

enum { PRIMER_DIAGONALS = 2 * PRIMER_GAPS_MAX + 1 };

/* The fewest mismatches of an alignment with a number of gaps, in bases, and a length in
 * the read of `length of the primer + d - PRIMER_GAPS_MAX`; PRIMER_NO_PLACE: none. */
typedef struct {
    uint8_t mismatches[PRIMER_GAPS_MAX + 1][PRIMER_DIAGONALS];
} primer_alignments_t;

/*
 * Align a primer with the bases from a place on, also behind a sequence's end.
 *
 * @param place  in the text, from its beginning
 */
void primer_gaps_align(const primer_pattern_t *p, const base_planes_t *text,
                       int64_t place, int max_gaps, primer_alignments_t *out);

/* The columns of one such alignment: '=', 'X', 'I' (a base that the primer lacks), 'D'
 * (one that the read lacks); of equal ones that with the gaps as early as possible.
 *
 * @param len, gaps  of the alignment, which exists
 * @param out        NUL-terminated */
void primer_gaps_trace(const primer_pattern_t *p, const base_planes_t *text,
                       int64_t place, int len, int gaps,
                       char out[PRIMER_LEN_MAX + PRIMER_GAPS_MAX + 1]);

/* The scan of primer_backend_t with gaps, block by block. */
void primer_gaps_scan(const primer_context_t *c, int64_t first, int64_t n, uint64_t *out);
