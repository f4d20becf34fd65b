/*
 * cigar.h - alignments as runs of columns, in binary and as CIGAR text.
 *
 * A run is a 32-bit number as in BAM files: length << 4 | operation.  I is a base of the
 * query against a gap, D a base of the target against a gap.
 */
#pragma once

#include "io/base/buf.h"

#include <stddef.h>
#include <stdint.h>

typedef enum {
    CIGAR_M = 0,
    CIGAR_I = 1,
    CIGAR_D = 2,
    CIGAR_EQ = 7,
    CIGAR_X = 8
} cigar_op_t;

/* The maximum length of a run, and so of a sequence that has a CIGAR. */
#define CIGAR_RUN_MAX ((INT64_C(1) << 28) - 1)

/* CIGAR_STYLE_M writes M for all columns without a gap; CIGAR_STYLE_EQX writes = for
 * matches and X for mismatches. */
typedef enum { CIGAR_STYLE_M, CIGAR_STYLE_EQX } cigar_style_t;

extern const char *const cigar_style_name[2]; /* "m", "eqx" */

static inline uint32_t cigar_run(int64_t len, cigar_op_t op)
{
    return (uint32_t)len << 4 | (uint32_t)op;
}

static inline int64_t cigar_run_len(uint32_t run)
{
    return run >> 4;
}

static inline cigar_op_t cigar_run_op(uint32_t run)
{
    return (cigar_op_t)(run & 15);
}

/* The operation of a letter, plus 1; 0: none. */
extern const unsigned char cigar_op_of[256];

/*
 * Read a run of a CIGAR text: a number from 1 to CIGAR_RUN_MAX and one of M, I, D, =, X.
 *
 * @param end  of the text, after `at`
 * @return the end of the run, or NULL: there is none
 */
static inline const char *cigar_next_run(const char *at, const char *end, uint32_t *run)
{
    int64_t len = 0;
    unsigned char op;

    for (; at < end && (unsigned char)(*at - '0') < 10; at++)
        if ((len = 10 * len + (*at - '0')) > CIGAR_RUN_MAX)
            return NULL;
    if (at == end || len == 0 || (op = cigar_op_of[(unsigned char)*at]) == 0)
        return NULL;
    *run = cigar_run(len, (cigar_op_t)(op - 1));
    return at + 1;
}

/* Bases against gaps before the first column of two bases and after the last one, and the
 * runs between them: first .. end - 1. */
typedef struct {
    int64_t query_left, target_left, query_right, target_right;
    int64_t first, end;
} cigar_margins_t;

/* @param runs  [n]; if no column has two bases, all of them are on the left */
cigar_margins_t cigar_margins(const uint32_t *runs, int64_t n);

/*
 * Append runs as text, without a final NUL.  No runs append nothing.
 *
 * @param runs  [n]
 * @return ST_OK or ST_ENOMEM
 */
status_t cigar_append_text(const uint32_t *runs, int64_t n, cigar_style_t style,
                           buf_t *out) MUST_CHECK;
