/*
 * aligner_backend.h - the interface of the alignment kernels: batches of pairs in,
 * results out.
 *
 * Every backend returns the same integers as nw_reference.c, which is the definition.
 */
#pragma once

#include "io/base/pool.h"
#include "kernels/align/common/align_run.h"
#include "kernels/align/common/align_spec.h"
#include "kernels/device/backend.h"
#include "kernels/device/device.h"

/* What kernels and filters are created for: a device, a sequence set,
 * a definition of the alignment, and how to run. */

/* The struct itself may be temporary; what its pointers lead to is borrowed until the
 * object that was created is destroyed. */
typedef struct {
    const device_t *device;
    pool_t *pool;
    const seqset_t *set;
    const align_spec_t *spec;
    align_run_t run;
} align_context_t;

/* Which definitions of an alignment a backend supports, as bit masks.  It lists the
 * enumerators that it was written for, one by one.  When an enum gets a new enumerator,
 * existing backends therefore refuse it until they declare it. */
#define ALIGN_BIT(enumerator) (1u << (enumerator))

typedef struct {
    unsigned alphabets; /* bits of alphabet_t */
    unsigned gaps;      /* bits of align_gaps_t */
    unsigned ends;      /* bits of align_ends_t */
    unsigned scorings;  /* bits of align_scoring_kind_t */
    unsigned emits;     /* bits of align_emit_t */
} align_support_t;

/* @return whether every property of spec is declared */
bool align_support_has(const align_support_t *support, const align_spec_t *spec);

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

/* Memory that a thread of a CPU backend may take for the steps of a group of pairs, whose
 * CIGARs follow them; others are traced pair by pair (nw_trace.h). */
enum { ALIGNER_STEPS_BYTES = 32 << 20 };

/* Maximum number of batches in flight. */
enum { ALIGNER_DEPTH = 2 };

typedef struct {
    backend_t base; /* rate: cells */
    int depth;      /* batches in flight that it can hold: ALIGNER_DEPTH or 1; 0: it
                     * computes while it is waited for */
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

/* nw_reference.c, one pair per thread: takes every pair. */
extern const aligner_backend_t scalar_backend;

/* One pair per lane of a vector (inter-sequence vectorization, Rognes 2011), pairs of
 * similar lengths together; cell_layout.h defines what a lane holds. */
extern const aligner_backend_t simd_backend;

/* The same for local alignments. */
extern const aligner_backend_t simd_local_backend;

/* Bit-parallel, 64 rows per lane: scores of unit costs with counted ends. */
extern const aligner_backend_t bscan_backend;

/* kernels/align/cuda/cuda_aligners.h has those of GPUs. */

/* @param row  of a table of such backends */
static inline const aligner_backend_t *aligner_backend(const backend_t *row)
{
    return (const aligner_backend_t *)row;
}

/*
 * Decide whether a backend may be given pairs of m and n bases.
 *
 * @param context  only device, spec and run are read
 */
bool aligner_backend_takes(const aligner_backend_t *backend,
                           const align_context_t *context, int64_t m, int64_t n);
