/*
 * seed_gpu.h - the filter of seed_filter.h on a GPU: many queries with many targets at a
 * time.
 */
#pragma once

#include "io/seq/seqset.h"
#include "kernels/align/common/align_spec.h"
#include "kernels/device/device.h"

typedef struct seed_gpu seed_gpu_t;

/* A query and n targets that follow each other in the set. */
typedef struct {
    int32_t query, target, n;
    int64_t first; /* the first one's number among the results */
} seed_row_t;

/* What becomes of a pair.  SEED_UNKNOWN is left to the CPU: a protein is too long, words
 * hit a query at too many places, the GPU has too little shared memory, or no row has the
 * pair. */
enum { SEED_FAILS, SEED_PASSES, SEED_UNKNOWN };

/*
 * Copy a set to a GPU.
 *
 * @param set, scoring  borrowed until destroy
 * @return ST_OK, ST_ENOMEM, ST_EDEVICE or ST_ELOST
 */
status_t seed_gpu_create(const device_t *device, pool_t *pool, const seqset_t *set,
                         const align_scoring_t *scoring, seed_gpu_t **out) MUST_CHECK;

/*
 * Find which pairs of rows share seeds.
 *
 * @param rows  [n_rows] sorted by the length of their queries, the longest first
 * @param out   [n_pairs] SEED_FAILS, SEED_PASSES or SEED_UNKNOWN
 * @return ST_OK, ST_ENOMEM, ST_EDEVICE or ST_ELOST
 */
status_t seed_gpu_run(seed_gpu_t *gpu, const seed_row_t *rows, int64_t n_rows,
                      int64_t n_pairs, uint8_t *out) MUST_CHECK;

/* Takes NULL. */
void seed_gpu_destroy(seed_gpu_t *gpu);
