/*
 * aligner_backend.h - the interface of the alignment kernels: batches of pairs in,
 * results out.
 *
 * Every backend returns the same integers as nw_reference.c, which is the definition.
 */
#ifndef RIBOGRID_KERNELS_ALIGN_COMMON_ALIGNER_BACKEND_H
#define RIBOGRID_KERNELS_ALIGN_COMMON_ALIGNER_BACKEND_H

#include "kernels/align/common/align_context.h"
#include "kernels/align/common/align_support.h"

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
    /* NULL unless EMIT_CIGAR.  Pair i has the runs cigar_start[i] .. cigar_start[i + 1] -
     * 1, in the format of io/seq/cigar.h with the operations of align_column_op, I and D;
     * it has none unless align_has_cigar.  nw_reference.h defines the alignment and its
     * ends. */
    const int64_t *cigar_start; /* [n + 1] */
    const uint32_t *cigar;      /* [cigar_start[n]] */
} pair_results_t;

/* Maximum number of batches in flight. */
enum { ALIGNER_DEPTH = 2 };

typedef struct {
    const char *name; /* unique among the backends of a kind of device */
    device_kind_t kind;
    double cells_per_s; /* of one core or GPU, roughly: the first guess of its rate */
    int depth; /* batches in flight that it can hold: ALIGNER_DEPTH, or 0 or 1 for one */
    align_support_t supports;

    /*
     * Called by aligner_backend_takes only, which has compared `supports` with the spec.
     *
     * @return whether a pair of m and n bases is within the backend's other limits.  If
     * it is, every pair of at most m and n bases has to be too.
     */
    bool (*fits)(const align_context_t *context, int64_t m, int64_t n);

    /* Prepare to align pairs of a set. @return ST_OK, ST_ENOMEM, ST_EDEVICE, ST_EUSAGE */
    status_t (*create)(const align_context_t *context, void **state);

    /* Begin a batch, which is borrowed until wait returns. */
    status_t (*submit)(void *state, const pair_batch_t *batch);

    /* Finish the oldest batch; the results are valid until the next submit or
     * wait. */
    status_t (*wait)(void *state, pair_results_t *out);

    void (*destroy)(void *state);

    const char *family; /* a name that requests it too, with others; or NULL */
} aligner_backend_t;

/*
 * Decide whether a backend may be given pairs of m and n bases.
 *
 * @param context  only device, spec and run are read
 */
bool aligner_backend_takes(const aligner_backend_t *backend,
                           const align_context_t *context, int64_t m, int64_t n);

#endif
