/*
 * simd_batch.h - what the backends simd, bscan and simd-local share: the pairs of a
 * batch, sorted and divided into groups of one pair per lane, and each thread's memory.
 *
 * A backend sorts the pairs, divides them into groups, sweeps the groups on all threads,
 * and repeats the pairs whose results are not proved.
 */
#pragma once

#include "kernels/align/cpu/cpu_batch.h"
#include "kernels/align/simd/simd_local_sweep.h"
#include "kernels/align/simd/simd_sweep.h"

/* How a pair is aligned again: without a band, in an exact layout, in a band that is
 * SIMD_WIDER times as wide. */
enum { SIMD_AGAIN_WHOLE = 1, SIMD_AGAIN_EXACT = 2, SIMD_AGAIN_WIDER = 4 };
enum { SIMD_WIDER = 4 };

/* A pair, to be sorted by shape. */
typedef struct {
    int32_t m, n;   /* rows and columns */
    int32_t band;   /* SIMD_BAND_NONE: the whole matrix */
    int32_t skew;   /* in a guarded band: its class of n - m, else 0 */
    int32_t high;   /* upper edge of the band that the guarded sweep used */
    bool scored;    /* its best score is known; in a band, that of the guarded sweep */
    bool swapped;   /* the rows are the target */
    bool plain;     /* without ambiguity codes: simd_method.c */
    bool exact;     /* use a layout in which no pair can be doubtful */
    int32_t shared; /* 1 + the query, if it is the rows of the whole group; else 0 */
    int64_t score;  /* if it is known */
    int64_t index;  /* in the batch */
} simd_pair_t;

/* Put a step into the table of 32-bit lanes and that of 64-bit lanes.
 * @param has_doubles  64-bit lanes, and the table, are doubles */
static inline void simd_table_put(int32_t *table32, int64_t *table64, bool has_doubles,
                                  int at, int64_t step)
{
    table32[at] = (int32_t)step;
    if (has_doubles)
        ((double *)(void *)table64)[at] = (double)step;
    else
        table64[at] = step;
}

/* Align a pair without a band. */
static inline void simd_pair_drop_band(simd_pair_t *p)
{
    p->band = p->high = SIMD_BAND_NONE;
    p->skew = 0;
}

/* One thread's memory, which grows on demand. */
typedef struct {
    void *memory;
    size_t bytes;
    bool failed; /* there was not enough memory */
} simd_scratch_t;

typedef struct {
    cpu_batch_t cpu;
    const char *what;     /* the backend, for messages */
    bool *is_plain;       /* [set->n]; NULL: pairs are not told apart */
    simd_pair_t *sorted;  /* [capacity] */
    int64_t *group_start; /* [n_groups + 1] into sorted */
    uint8_t *again;       /* [capacity] by index: SIMD_AGAIN_ bits */
    int64_t capacity, n_groups;
    simd_scratch_t *scratch; /* [threads] */
    cpu_cigar_t *cigar;      /* NULL unless EMIT_CIGAR */
} simd_batch_t;

/* The sweeps of a SIMD level; both are NULL if this build has none. */
typedef struct {
    const simd_sweep_t *whole;     /* [SWEEPS] */
    const local_sweep_fn_t *local; /* [LOCAL_SWEEPS] */
} simd_sweeps_t;

simd_sweeps_t simd_batch_sweeps(simd_level_t level);

/*
 * Create what a backend needs before its first batch.
 *
 * @param what  the backend, for messages; borrowed
 * @return ST_OK or ST_ENOMEM; the caller frees it in either case
 */
status_t simd_batch_create(const align_context_t *context, const char *what,
                           simd_batch_t *out) MUST_CHECK;

void simd_batch_free(simd_batch_t *b);

/* Tell pairs without ambiguity codes from others. @return ST_OK or ST_ENOMEM */
status_t simd_batch_find_plain(simd_batch_t *b) MUST_CHECK;

/* Begin a batch: no group, and no pair to be aligned again; the caller fills in `sorted`.
 * @return ST_OK or ST_ENOMEM */
status_t simd_batch_take(simd_batch_t *b, const pair_batch_t *batch) MUST_CHECK;

/* @return whether neither sequence of a pair has ambiguity codes */
bool simd_batch_is_plain(const simd_batch_t *b, pair_t p);

/* @return how many of the first pairs are one group: 1 .. max */
typedef int64_t (*simd_batch_count_fn_t)(const void *ctx, const simd_pair_t *pairs,
                                         int64_t max);

/* Divide n sorted pairs into groups of at most SIMD_LANES_MAX. */
void simd_batch_divide(simd_batch_t *b, int64_t n, simd_batch_count_fn_t count,
                       const void *ctx);

/* @return the pairs of a group, *n of them */
simd_pair_t *simd_batch_group(const simd_batch_t *b, int64_t group, int *n);

/* Call a function for each group, on all threads. @return ST_OK or ST_ENOMEM: a thread's
 * scratch failed */
status_t simd_batch_run(simd_batch_t *b, pool_fn_t align_group, void *ctx) MUST_CHECK;

/* Move those of n pairs that are to be aligned again to the front. @return their number
 */
int64_t simd_batch_gather(simd_batch_t *b, int64_t n);

/* Add the CIGARs, and return the results.
 * @param ends  of local alignments, or NULL: cpu_batch.h @return ST_OK or ST_ENOMEM */
status_t simd_batch_finish(simd_batch_t *b, const nw_trace_ends_t *ends,
                           pair_results_t *out) MUST_CHECK;

/* Reserve a thread's memory. @return it, aligned, or NULL: too little memory */
uint8_t *simd_scratch_reserve(simd_scratch_t *scratch, size_t bytes);

/* @return the bytes after which the next array is aligned; at least one more */
static inline size_t simd_scratch_round_up(size_t bytes)
{
    return (bytes / SIMD_ALIGN_BYTES + 1) * SIMD_ALIGN_BYTES;
}
