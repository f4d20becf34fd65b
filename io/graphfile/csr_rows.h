/*
 * csr_rows.h - some rows of a graph: what one of several ranks holds of it.
 *
 * Rows are taken from a stream of all arcs in the order of their sources, so that no rank
 * needs memory for the whole graph.  All ranks read it at the same time.
 */
#pragma once

#include "io/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The arcs of some nodes, out of them or into them. */
typedef struct {
    int64_t begin, end; /* nodes */
    int64_t *first;     /* [end - begin + 1] node begin + i has the arcs first[i] ..
                         * first[i + 1] - 1; first[0] is 0 */
    int32_t *to; /* [first[end - begin]] the other ends, ascending in each row; NULL: only
                  * the number of arcs is known */
} csr_rows_t;

/* All arcs of a graph in the order of their sources; `first` is as in csr_t. */
typedef struct csr_arcs {
    const char *path; /* for messages */
    int64_t n_nodes, n_arcs;
    const int64_t *first; /* [n_nodes + 1] borrowed */
    int32_t *piece;       /* [CSR_ARCS_PIECE] scratch */

    /* Every rank reads all arcs, in pieces of CSR_ARCS_PIECE, whatever it needs and has
     * memory for; a failure is every rank's.
     * @param to  [end - begin] the targets of arcs begin .. end-1; not checked
     * @return ST_OK, or an error that the source has logged */
    status_t (*read)(struct csr_arcs *arcs, int64_t begin, int64_t end, int32_t *to);
} csr_arcs_t;

enum { CSR_ARCS_PIECE = 1 << 20 };

/*
 * Take the arcs out of nodes begin .. end-1.
 *
 * @return ST_OK, ST_EINPUT (logged: targets that do not exist or descend), ST_ENOMEM, or
 *         an error of the stream
 */
status_t csr_rows_take_out(csr_arcs_t *arcs, int64_t begin, int64_t end,
                           csr_rows_t *out) MUST_CHECK;

/*
 * Count the arcs into each node; targets that do not exist are left to csr_rows_take_out.
 *
 * @param in_first  [n_nodes + 1] out: as `first`, of the reversed arcs
 * @return ST_OK, ST_ENOMEM or an error of the stream
 */
status_t csr_rows_count_in(csr_arcs_t *arcs, int64_t *in_first) MUST_CHECK;

/* Take the arcs into nodes begin .. end-1. @param in_first  of csr_rows_count_in
 * @return ST_OK, ST_ENOMEM or an error of the stream */
status_t csr_rows_take_in(csr_arcs_t *arcs, const int64_t *in_first, int64_t begin,
                          int64_t end, csr_rows_t *out) MUST_CHECK;

/* @return whether two ranges have the same nodes and arcs */
bool csr_rows_equal(const csr_rows_t *a, const csr_rows_t *b);

/* Free the arrays and set all members to 0. */
void csr_rows_free(csr_rows_t *rows);
