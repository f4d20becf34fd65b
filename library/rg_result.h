/*
 * rg_result.h - alignments of pairs: one block of memory for the numbers, one for runs.
 */
#pragma once

#include "io/base/buf.h"
#include "io/base/fraction.h"
#include "library/rg_set.h"

#include <stdbool.h>

struct rg_result {
    int64_t n;
    int32_t *query, *target, *score; /* [n] */
    int32_t *matches, *columns;      /* [n] or NULL */
    int8_t *strand;                  /* [n] or NULL */
    int64_t *cigar_start;            /* [n + 1] or NULL */
    buf_t runs;                      /* uint32_t [cigar_start[n]] */

    /* of all pairs of a set */
    rg_set_t *set;           /* kept; NULL: it is something else */
    fraction_t min_identity; /* pairs of lower ones are left out; denominator 0: none */
    bool counts_overhang;    /* identity_def_counts_overhang */
};

/* Which of its arrays a result has. */
typedef struct {
    bool has_identity, has_strand, has_cigar;
} rg_result_shape_t;

/* @return ST_OK or ST_ENOMEM (logged) */
status_t rg_result_create(int64_t n, rg_result_shape_t shape,
                          rg_result_t **out) MUST_CHECK;
