/*
 * primer_backend.h - what finds the places of primers, and its backends.
 *
 * A backend compares patterns with all places of a range of words of bit planes, and
 * returns one bit per pattern and place: whether the pattern has at most
 * max_mismatches and max_gaps there, and none in the bases that have to match.  Places
 * whose primer goes beyond the end of a sequence are compared like others, with what
 * follows there; callers leave them out.  All backends return the same bits;
 * primer_reference.c defines them.
 */
#pragma once

#include "io/base/pool.h"
#include "kernels/device/backend.h"
#include "kernels/primers/primer_pattern.h"

typedef struct {
    const device_t *device;
    const base_planes_t *text;        /* borrowed */
    const primer_pattern_t *patterns; /* [n_patterns] borrowed */
    int n_patterns;
    int max_mismatches; /* 0 .. PRIMER_MISMATCHES_MAX */
    int max_gaps;       /* 0 .. PRIMER_GAPS_MAX, in bases (primer_gaps.h) */
} primer_context_t;

enum { PRIMER_MISMATCHES_MAX = 15, PRIMER_GAPS_MAX = 3 };

/* Rows of bits begin at multiples of this many words. */
enum { PRIMER_ROW_WORDS = 32 };

/* @return the words of a row for n places' words */
static inline int64_t primer_row_words(int64_t n)
{
    return (n + PRIMER_ROW_WORDS - 1) / PRIMER_ROW_WORDS * PRIMER_ROW_WORDS;
}

typedef struct {
    backend_t base;
    bool is_parallel; /* several threads may scan at a time; else one, for all of them */
    status_t (*create)(const primer_context_t *context, void **state);
    /*
     * Compare all patterns with the places of words first .. first + n - 1.
     *
     * @param out  [n_patterns][primer_row_words(n)] bit p of word w: a place; what is
     *             behind the n-th word of a row is undefined
     * @return ST_OK, ST_ENOMEM, ST_EDEVICE or ST_ELOST
     */
    status_t (*scan)(void *state, int64_t first, int64_t n, uint64_t *out);

    /* @return the seconds of the last scan without copies; NULL: there are none */
    double (*kernel_s)(const void *state);
    void (*destroy)(void *state);
} primer_backend_t;

extern const primer_backend_t primer_reference_backend;
extern const primer_backend_t primer_cpu_backend;
extern const primer_backend_t primer_cuda_backend;
