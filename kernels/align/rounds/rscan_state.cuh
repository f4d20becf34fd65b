/*
 * rscan_state.cuh - what the backends rscan and dscan keep between batches.
 */
#ifndef RIBOGRID_KERNELS_ALIGN_ROUNDS_RSCAN_STATE_CUH
#define RIBOGRID_KERNELS_ALIGN_ROUNDS_RSCAN_STATE_CUH

#include "kernels/align/bscan/band_bound.cuh"
#include "kernels/align/bscan/bscan_batch.cuh"
#include "kernels/align/rounds/rscan_trace.cuh"

/* Counters of a batch, on the device. */
struct rscan_counters_t {
    int n_of_kind[RSCAN_ROUNDS][RSCAN_KINDS], next[RSCAN_ROUNDS][RSCAN_KINDS];
    int n_retry, n_windowed, n_narrowed, n_doubtful;
    unsigned long long n_banded;
};

/* One per slot of batches. */
struct rscan_scratch_t {
    cuda_buffer_t arrays; /* of a batch (rscan_cuda.cu) */
    cuda_buffer_t lines;
    rscan_counters_t *counters;
};

struct rscan_t {
    const align_spec_t *spec;
    bool warp_per_pair; /* the backend is dscan */
    cuda_batch_t *batch;
    bscan_t *edits;        /* edit distances that bands are chosen from; may be NULL */
    int bound_w;           /* w of the bands that bounds prove; 0: none */
    band_choice_t *choice; /* chooses the pairs that have such a band; or NULL */
    band_bound_t *bounds;  /* computes those bounds; NULL: RSCAN_ROUND_BOUND does */
    rscan_trace_t *trace;  /* NULL: no CIGARs */
    cell_layout_t layout[RSCAN_KINDS],
        score_layout[RSCAN_KINDS];                        /* of the spec; of scores */
    int max_len[RSCAN_KINDS], score_max_len[RSCAN_KINDS]; /* bases that they hold */
    int long_len[RSCAN_KINDS]; /* of the shorter sequence of a long pair; 0: none */
    int n_blocks[RSCAN_KINDS], n_bound_blocks[RSCAN_KINDS], n_warp_blocks[RSCAN_KINDS];
    long long line_len; /* columns */
    size_t line_bytes;  /* of all lines of a slot */
    rscan_scratch_t scratch[CUDA_SLOTS];
    cuda_band_stats_t *stats;
};

/*
 * Create the state of a backend; the batch and everything in the context are borrowed.
 *
 * @param warp_per_pair  for dscan
 * @return ST_OK, ST_ENOMEM or ST_EDEVICE
 */
status_t rscan_state_create(const align_context_t *context, cuda_batch_t *batch,
                            bool warp_per_pair, rscan_t **out) MUST_CHECK;

/* Takes NULL; nothing may be in flight. */
void rscan_state_destroy(rscan_t *r);

#endif
