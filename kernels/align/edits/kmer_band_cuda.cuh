/*
 * kmer_band_cuda.cuh - chooses the bands of pairs on a GPU (kmer_band_choose.cuh).
 */
#pragma once

#include "kernels/align/edits/kmer_band_choose.cuh"

extern "C" {
#include "kernels/align/edits/edit_filter_backend.h"
}

/* What all batches use.  Zero-initialise it before create. */
struct kmer_band_cuda_t {
    kmer_band_launch_t launch; /* without what belongs to a batch */
    void *kmers, *n_codes, *needed;
    cuda_buffer_t edits_left[CUDA_SLOTS];
    int n_blocks; /* 0: bands spare nothing, and kmer_band_cuda_run must not be called */
};

/*
 * List the k-mers of a set on the current device.
 *
 * @param launch  set, max_edits and min_end, which are borrowed until destroy
 * @param bytes   the device memory that the k-mers may take
 * @return ST_OK, ST_ENOMEM or ST_EDEVICE; kmer_band_cuda_destroy frees what was made
 *         either way
 */
status_t kmer_band_cuda_create(const edit_filter_plan_t *plan,
                               const kmer_band_launch_t *launch, int64_t bytes,
                               kmer_band_cuda_t *out) MUST_CHECK;

void kmer_band_cuda_destroy(kmer_band_cuda_t *b);

/*
 * Enqueue: choose bands, and write the keys of the pairs that have one.
 *
 * @param work        the batch
 * @param pairs       [n] of it
 * @param bands       [n] of the pairs in g; 0 for those that cannot reach the identity
 * @param g           built from keys of class 0; the keys for the next build are written
 * @param edits_left  out: kmer_band_launch_t, until the next call for this slot
 */
status_t kmer_band_cuda_run(kmer_band_cuda_t *b, const cuda_work_t *work,
                            const pair_t *pairs, int64_t n, int *bands,
                            cuda_grouping_t *g, const unsigned char **edits_left);
