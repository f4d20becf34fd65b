/*
 * trace_path.h - a path that is followed back from its last cell, and its runs.
 *
 * Where the steps come from is the caller's: nw_trace.c has them in antidiagonals, and
 * simd_trace.c in lanes.
 */
#pragma once

#include "io/seq/cigar.h"
#include "kernels/align/common/align_spec.h"

#include <string.h>

/* The step that H ends with, and flags: whether the gaps of F and of E began before the
 * base that they end with. */
enum {
    TRACE_DIAGONAL,
    TRACE_UP,
    TRACE_LEFT,
    TRACE_STEP = 3, /* mask */
    TRACE_UP_GOES_ON = 4,
    TRACE_LEFT_GOES_ON = 8
};

typedef struct {
    const align_spec_t *spec;
    const uint8_t *a, *b; /* codes of the rows and of the columns */
    cigar_op_t up, left;  /* operations of these steps */
    int64_t i, j;         /* the cell that has been reached */
    int inside;           /* the gap that the path is in, or TRACE_DIAGONAL */
    uint32_t *runs;       /* [bases of both sequences + 4] from the last to the first */
    int64_t n_runs;
} trace_path_t;

static inline void trace_path_put(trace_path_t *p, cigar_op_t op, int64_t len)
{
    uint32_t *last = p->n_runs > 0 ? &p->runs[p->n_runs - 1] : NULL;

    if (last != NULL && cigar_run_op(*last) == op)
        *last = cigar_run(cigar_run_len(*last) + len, op);
    else if (len > 0)
        p->runs[p->n_runs++] = cigar_run(len, op);
}

/* The rest of one sequence beyond the other's border; of both where an alignment is
 * local. */
static inline void trace_path_put_terminal(trace_path_t *p, int64_t rows, int64_t columns)
{
    trace_path_put(p, p->left, columns);
    trace_path_put(p, p->up, rows);
}

/* @return the step back that comes next, if H of the cell reached ends with `of_h` */
static inline int trace_path_next(const trace_path_t *p, int of_h)
{
    return p->inside != TRACE_DIAGONAL ? p->inside : of_h & TRACE_STEP;
}

/* Go one step back. @param direction  of the cell reached */
static inline void trace_path_step(trace_path_t *p, int direction)
{
    const int step = trace_path_next(p, direction);

    p->inside = TRACE_DIAGONAL;
    if (step == TRACE_UP) {
        p->inside = direction & TRACE_UP_GOES_ON ? TRACE_UP : TRACE_DIAGONAL;
        trace_path_put(p, p->up, 1);
        p->i--;
    } else if (step == TRACE_LEFT) {
        p->inside = direction & TRACE_LEFT_GOES_ON ? TRACE_LEFT : TRACE_DIAGONAL;
        trace_path_put(p, p->left, 1);
        p->j--;
    } else {
        p->i--;
        p->j--;
        trace_path_put(p,
                       align_column_op(p->spec,
                                       p->spec->scoring.is_match[p->a[p->i]][p->b[p->j]]),
                       1);
    }
}

/* Append the runs from the first to the last. @return ST_OK or ST_ENOMEM */
static inline status_t trace_path_append(const trace_path_t *p, buf_t *out)
{
    status_t st = buf_reserve(out, (size_t)p->n_runs * sizeof(*p->runs));

    if (st != ST_OK)
        return st;
    for (int64_t k = p->n_runs; k-- > 0; out->len += sizeof(*p->runs))
        memcpy(out->data + out->len, &p->runs[k], sizeof(*p->runs));
    return ST_OK;
}
