/*
 * cuda_batch.cuh - batches of pairs on a GPU: the half of submit and wait that all CUDA
 * backends share.
 *
 * A cuda_batch_t holds the sequence set on the device, and CUDA_SLOTS slots.  A batch
 * occupies one slot from submit to wait: a stream, and memory for its pairs, results and
 * CIGARs on the device and, pinned, on the host.  Slots share only the host's memory for
 * the runs of CIGARs, which wait copies, so the copies of one batch, and the last blocks
 * of its kernels, overlap the kernels of the other.
 */
#pragma once

#include "kernels/align/cuda/cuda_cigar.cuh"

enum { CUDA_SLOTS = ALIGNER_DEPTH };

/* A batch on the device. */
struct cuda_work_t {
    const pair_t *pairs; /* [n] */
    int64_t n;
    int *score, *matches, *columns; /* [n]; under EMIT_SCORE only score is not NULL */
    cuda_cigar_t *cigar;            /* reserved for the batch; NULL but for EMIT_CIGAR */
    cudaStream_t stream;
    int slot; /* 0 .. CUDA_SLOTS - 1; scratch kept per slot is free for this batch */
    const pair_batch_t *batch; /* the same pairs on the host */
};

/* Enqueue a backend's kernels for a batch of at least one pair. */
typedef status_t (*cuda_launch_t)(void *state, const cuda_work_t *work);

struct cuda_batch_t;

/* Copy a set to its device, in windows without its letters.  What the context names is
 * borrowed until destroy. */
status_t cuda_batch_create(const align_context_t *context, cuda_batch_t **out);

/* @return the set on the device, valid until destroy */
const cuda_set_t *cuda_batch_set(const cuda_batch_t *b);

/* @return what copies the sequences of batches; NULL: all are in the set */
cuda_letters_t *cuda_batch_letters(cuda_batch_t *b);

/* @return the device memory that all scratch of one slot may take, in bytes */
int64_t cuda_batch_scratch_bytes(const cuda_batch_t *b);

/* @return the blocks of a grid: n_blocks, or fewer, at least 1, where their memory would
 *         take more than this fraction of a slot's scratch, 1 / divisor */
int cuda_batch_limit_blocks(const cuda_batch_t *b, int n_blocks, int64_t block_bytes,
                            int divisor);

/* Begin a batch in the next slot; at most CUDA_SLOTS batches may be in flight.
 * @param state  passed to launch */
status_t cuda_batch_submit(cuda_batch_t *b, const pair_batch_t *batch,
                           cuda_launch_t launch, void *state);

/* Wait for the oldest batch.  The results are valid until its slot is used again, and its
 * CIGARs until the next wait. */
status_t cuda_batch_wait(cuda_batch_t *b, pair_results_t *out);

/* Takes NULL; waits for batches in flight. */
void cuda_batch_destroy(cuda_batch_t *b);

/* How often the first band of a pair was wide enough; in device memory, kernels add to
 * it. */
struct cuda_band_stats_t {
    unsigned long long n_banded;  /* pairs aligned in a band */
    unsigned long long n_retried; /* of these, pairs that were aligned again */
};

/* Log a backend's counts at -v, if any pair had a band.
 * @param stats  on the device; may be NULL */
void cuda_band_stats_report(const char *backend, const cuda_band_stats_t *stats);
