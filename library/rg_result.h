/*
 * rg_result.h - alignments of pairs: one block of memory for the numbers, one for runs.
 */
#pragma once

#include "io/base/buf.h"
#include "library/rg_allocator.h"
#include "library/rg_origin.h"

struct rg_result {
    rg_allocator_t memory; /* its own */
    int64_t n;
    int32_t *query, *target, *score; /* [n] */
    int32_t *matches, *columns;      /* [n] or NULL */
    int8_t *strand;                  /* [n] or NULL */
    int64_t *cigar_start;            /* [n + 1] or NULL */
    buf_t runs;                      /* uint32_t [cigar_start[n]], until it is complete */
    uint32_t *run;                   /* the same from then on */

    rg_origin_t *origin; /* kept */
    bool is_all;         /* of rg_aligner_all, not listed */
};

/* Allocate the arrays that the options of the origin have, but for the runs.
 * @return ST_OK or ST_ENOMEM (logged) */
status_t rg_result_create(const rg_allocator_t *memory, int64_t n, rg_origin_t *origin,
                          rg_result_t **out) MUST_CHECK;

/* End it: all runs are there. @return ST_OK or ST_ENOMEM (logged) */
status_t rg_result_complete(rg_result_t *result) MUST_CHECK;
