/*
 * aligner_backend.h - what every alignment kernel implements: batches of pairs in,
 * results out.
 *
 * All backends return the same integers as nw_reference.c, which is the definition.
 */
#ifndef RIBOGRID_KERNELS_ALIGN_COMMON_ALIGNER_BACKEND_H
#define RIBOGRID_KERNELS_ALIGN_COMMON_ALIGNER_BACKEND_H

#include "io/base/pool.h"
#include "kernels/align/common/align_spec.h"
#include "kernels/device/device.h"

typedef struct {
    int32_t query, target; /* indices into the set */
} pair_t;

typedef struct {
    const pair_t *pairs; /* [n] */
    int64_t n;
} pair_batch_t;

typedef struct {
    int32_t *score;   /* [n] */
    int32_t *matches; /* [n] if align_has_identity, else NULL */
    int32_t *columns; /* [n] likewise */
    /* EMIT_CIGAR, else NULL: runs cigar_start[i] .. cigar_start[i + 1] - 1 are pair i's,
     * as io/seq/cigar.h has them, with the operations = X I D; none unless
     * align_has_cigar. Which of equal alignments it is, and how its ends look:
     * nw_reference.h. */
    const int64_t *cigar_start; /* [n + 1] */
    const uint32_t *cigar;      /* [cigar_start[n]] */
} pair_results_t;

/* Batches that may be under way at a time. */
enum { ALIGNER_DEPTH = 2 };

typedef struct {
    const char *name;
    device_kind_t kind;
    double cells_per_s; /* of one core or GPU, roughly: the first guess of a rate */
    int depth; /* batches that it computes at a time: ALIGNER_DEPTH, or 0 or 1: one */

    /* @return whether a pair of m and n letters is within the row's limits; if it is, so
     * is every pair of no more than m and n */
    bool (*takes)(const device_t *device, const align_spec_t *spec, int64_t m, int64_t n);

    /* Make ready on a device; set and spec are borrowed until destroy. */
    status_t (*create)(const device_t *device, pool_t *pool, const seqset_t *set,
                       const align_spec_t *spec, void **state);

    /* Begin a batch, which is borrowed until wait returns. */
    status_t (*submit)(void *state, const pair_batch_t *batch);

    /* Finish the oldest; the results are the row's, until the next submit. */
    status_t (*wait)(void *state, pair_results_t *out);

    void (*destroy)(void *state);
} aligner_backend_t;

#endif
