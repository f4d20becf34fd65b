/*
 * simd_group.h - prepares a group of pairs for a sweep.
 */
#pragma once

#include "io/seq/alphabet.h"
#include "kernels/align/common/aligner_backend.h"
#include "kernels/align/common/band_width.h"
#include "kernels/align/common/nw_reference.h"
#include "kernels/align/simd/simd_batch.h"

#include <stdint.h>

/* simd_spread.c: interleaves the sequences of a group, so that a vector holds one
 * position of all lanes. */

/* The sequence of a lane. */
typedef struct {
    const uint8_t *letters; /* [len] codes */
    int64_t len;
} simd_spread_lane_t;

/*
 * Translate and interleave the sequences of n lanes.
 *
 * @param table  [DNA_SIZE] what becomes of each code; NULL: codes are kept
 * @param pad    follows the ends of sequences, and fills the lanes without one
 * @param out    [n_positions][lanes]
 */
void simd_spread(const simd_spread_lane_t *in, int n, int lanes, const uint8_t *table,
                 uint8_t pad, int64_t n_positions, uint8_t *out);

/*
 * Choose the sequence that is the rows: that of the definition (nw_reference.h), or the
 * query if only the target's ends are free.
 *
 * @return whether it is the target
 */
static inline bool simd_group_swaps(const align_spec_t *spec, const seqset_t *set,
                                    pair_t p)
{
    return spec->ends != ENDS_QUERY &&
           !nw_reference_query_is_rows(seqset_letters(set, p.query),
                                       seqset_len(set, p.query),
                                       seqset_letters(set, p.target),
                                       seqset_len(set, p.target));
}

/* Pairs that share rows, at least: fewer leave most 8-bit lanes empty, and wider ones are
 * as fast. */
enum { SIMD_SHARING_MIN = 8 };

/*
 * Find pairs that can share their rows: neighbours in the batch with the same query.
 *
 * @param pairs  [n] in the order of the batch, in and out: shared, m and n
 */
void simd_group_share_rows(const cpu_batch_t *cpu, simd_pair_t *pairs, int64_t n);

/* Fill in the shapes of a group's pairs, after sorting them by columns, the longest
 * first. */
void simd_group_measure(simd_group_t *g, simd_pair_t *pairs);

/*
 * Lay out the scratch memory of a group: a row of cells, the borders, the tables, and the
 * bases of all pairs, interleaved by lane.
 *
 * @return whether there was enough memory
 */
bool simd_group_lay_out(const cpu_batch_t *cpu, const simd_sweep_t *sweep,
                        const simd_pair_t *pairs, simd_group_t *g,
                        simd_scratch_t *scratch);

/* Fill in the border's cells and the steps of a matrix, as a sweep's lanes have them. */
void simd_group_fill(simd_group_t *g, const simd_sweep_t *sweep);

/* simd_trace.c: the paths of a group's alignments. */

/* Prepare to follow the paths of a measured group: g->trace is `trace`, or NULL if its
 * layout does not allow it, or it would take too much memory. */
void simd_trace_choose(simd_group_t *g, const simd_sweep_t *sweep, simd_trace_t *trace);

/* Lay out the memory of g->trace, if there is one. @param memory  NULL: only count
 * @return bytes needed */
size_t simd_trace_lay_out(const simd_group_t *g, uint8_t *memory);

/*
 * Follow the best path of a lane back.
 *
 * @param end   of the best paths, all of which were computed
 * @param path  in: its spec, sequences and operations; out: its runs, until the next one
 */
void simd_trace_follow(const simd_group_t *g, int lane, const cell_end_t *end,
                       trace_path_t *path);

/* simd_method.c: how a kind of pairs is aligned: by which scores, in which layouts, and
 * what proves bands.
 *
 * A matrix may score A, C, G and T by a match and a mismatch alone, as NUC.4.4 does.
 * Pairs without ambiguity codes are then aligned by these two values, in narrower lanes
 * and in bands.  If all codes score 0 (align_scoring_t.neutral), pairs with codes are
 * swept in 8-bit lanes, too, which proves bands and yields known scores. */

typedef struct {
    align_spec_t spec;
    bool bits;           /* bit-parallel */
    bool scores_first;   /* scores are computed before identities */
    bool guards;         /* this proves bands */
    cell_layout_t first; /* its layout */
    bool profiles;       /* pairs that share their rows have SWEEP_8_PROFILE */
    band_width_t *band;  /* NULL: no estimated bands */
} simd_method_t;

/*
 * Decide how pairs are aligned under a spec, which may be another than that of context.
 *
 * @param bits  for the backend bscan
 * @return ST_OK or ST_ENOMEM; the caller frees it
 */
status_t simd_method_create(const align_context_t *context, const align_spec_t *spec,
                            bool bits, simd_method_t *out) MUST_CHECK;

void simd_method_free(simd_method_t *method);

/* @return the width of a pair's band, or SIMD_BAND_NONE */
int32_t simd_method_band(const simd_method_t *method, const seqset_t *set, pair_t pair);

/* Choose the layout of a group's lanes. @return whether there is one */
bool simd_method_layout(const simd_method_t *method, const simd_pair_t *pairs,
                        int64_t n_pairs, cell_layout_t *out);

/* @return whether a pair's score is of use before its identity is computed */
static inline bool simd_method_needs_score(const simd_method_t *method,
                                           const simd_pair_t *pair)
{
    return method->scores_first && !pair->scored && !pair->exact &&
           (pair->band != SIMD_BAND_NONE || method->first.affine) &&
           (!method->profiles || pair->shared > 0);
}

/* @return whether a matrix scores plain bases by two values. @param out  with these */
bool simd_method_plain_spec(const align_spec_t *spec, align_spec_t *out);
