/*
 * rg_graph.h - graphs, and columns of values of their nodes.
 */
#pragma once

#include "io/graphfile/csr.h"
#include "kernels/graph/common/graph_spec.h"
#include "library/rg_allocator.h"
#include "library/ribogrid.h"

struct rg_graph {
    csr_t csr;
    bool has_loops;
};

struct rg_columns {
    rg_allocator_t memory;
    int32_t n;
    int64_t length;
    const char *name[GRAPH_MAX_COLUMNS];
    graph_type_t type[GRAPH_MAX_COLUMNS];
    void *values[GRAPH_MAX_COLUMNS]; /* [length] */
};
