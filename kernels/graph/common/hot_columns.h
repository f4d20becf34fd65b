/*
 * hot_columns.h - the columns of a matrix that most arcs lead to.
 */
#ifndef RIBOGRID_KERNELS_GRAPH_COMMON_HOT_COLUMNS_H
#define RIBOGRID_KERNELS_GRAPH_COMMON_HOT_COLUMNS_H

#include "io/graphfile/csr.h"

typedef struct {
    int32_t n;
    int64_t n_arcs;  /* to them */
    int32_t *node;   /* [n] ascending */
    int32_t *number; /* [n_nodes] n_nodes + k for node[k], u for another node u */
} hot_columns_t;

/*
 * Of columns with equally many arcs all are hot or none, and none without arcs is.
 *
 * @param max  columns; n_nodes + max is at most INT32_MAX
 * @return ST_OK, or ST_ENOMEM (logged)
 */
status_t hot_columns_create(const csr_t *g, int32_t max, hot_columns_t *out) MUST_CHECK;

void hot_columns_free(hot_columns_t *h);

#endif
