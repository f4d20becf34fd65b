/*
 * affine_state.cuh - what the backend ascan keeps between batches: layouts, grids and
 * scratch.
 */
#ifndef RIBOGRID_KERNELS_ALIGN_ROUNDS_AFFINE_STATE_CUH
#define RIBOGRID_KERNELS_ALIGN_ROUNDS_AFFINE_STATE_CUH

#include "kernels/align/affine/affine_layout.cuh"
#include "kernels/align/bscan/band_choice.cuh"
#include "kernels/align/cuda/cuda_buffer.cuh"
#include "kernels/align/cuda/cuda_side_streams.cuh"
#include "kernels/align/rounds/rscan_trace.cuh"
#include "kernels/align/sliced/sscan_batch.cuh"

/* Scores in narrow bands, which prove others: of all pairs under EMIT_SCORE, else of
 * those that have such a band; results in the proved bands; results that are left in
 * doubt. */
enum affine_round_t {
    AFFINE_ROUND_BAND,
    AFFINE_ROUND_FIRST,
    AFFINE_ROUND_EXACT,
    AFFINE_ROUNDS
};

/* Counters of a batch, on the device: of each kind the pairs, and those taken so far. */
struct affine_counters_t {
    int n_of_kind[AFFINE_ROUNDS][RSCAN_KINDS], next[AFFINE_ROUNDS][RSCAN_KINDS];
    int n_retry, n_doubtful;
    unsigned long long n_banded;
};

/* One per slot of batches. */
struct affine_scratch_t {
    cuda_buffer_t arrays, lines;
    affine_counters_t *counters;
    cuda_side_streams_t side;
};

struct affine_batch_t {
    const align_spec_t *spec;
    cuda_batch_t *batch;
    rscan_trace_t *trace; /* NULL: no CIGARs */
    bool bands;           /* whether pairs have bands */
    score_band_t score_band;
    cuda_band_stats_t *stats;
    affine_layout_t layout[RSCAN_KINDS];
    int max_len[RSCAN_KINDS]; /* bases that the layouts hold; 0: no such kind */
    int n_blocks[RSCAN_KINDS];
    affine_layout_t key_table;          /* of AFFINE_TABLE_KEY32 */
    int n_key_table_blocks;             /* 0: 32 bits do not hold all pairs with codes */
    affine_layout_t guard[RSCAN_KINDS]; /* of kinds whose first bands are guarded */
    int n_guard_blocks[RSCAN_KINDS];    /* 0: those of a kind are not */
    sscan_t *bounds;                    /* of scores; NULL: there are none */
    band_choice_t *choice; /* chooses the pairs that get one; NULL: none is guarded */
    int flank_words;       /* 0: none is guarded */
    long long line_len;    /* columns */
    size_t line_bytes;     /* of all lines of a kernel with one per thread */
    affine_scratch_t scratch[CUDA_SLOTS];
};

/* @return whether pairs of at most len bases are taken; only if align_is_affine */
bool affine_batch_fits(const align_spec_t *spec, int64_t len);

/* Prepare.  Everything in the context is borrowed, and so is the batch.
 * @return ST_OK, ST_ENOMEM or ST_EDEVICE */
status_t affine_batch_create(const align_context_t *context, cuda_batch_t *batch,
                             affine_batch_t **out) MUST_CHECK;

/* Takes NULL; no batch may be in flight. */
void affine_batch_destroy(affine_batch_t *b);

#endif
