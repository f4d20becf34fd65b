/*
 * made_graph.h - graphs for tests, and runs of a backend on them.
 */
#pragma once

#include "kernels/graph/common/graph_backend.h"

#include <stdbool.h>

typedef enum {
    MADE_EMPTY, /* no nodes */
    MADE_ISOLATED,
    MADE_PATH,
    MADE_CYCLE,
    MADE_STAR,
    MADE_GRID,
    MADE_COMPLETE,
    MADE_SPARSE,  /* random, half an edge per node: many components */
    MADE_RANDOM,  /* 4 edges per node */
    MADE_RMAT,    /* 8 edges per node, Graph500's probabilities, isolated nodes */
    MADE_CLIQUES, /* of 8 nodes each, every third one joined to the next */
    MADE_TREE,    /* parents before their children, up to 20 places */
    MADE_N_SHAPES
} made_shape_t;

typedef enum {
    MADE_NO_WEIGHTS,
    MADE_WEIGHTS,       /* 1 .. 255 */
    MADE_SMALL_WEIGHTS, /* 0 .. 2, many ties */
    MADE_LARGE_WEIGHTS, /* up to INT32_MAX */
    MADE_VALUES,        /* doubles of 0 .. 1, some equal */
    MADE_WIDE_VALUES,   /* 0, and doubles of 2^-1074 .. 2^900, some equal */
    MADE_N_WEIGHTS
} made_weights_t;

typedef struct {
    made_shape_t shape;
    made_weights_t weights;
    int64_t n;        /* nodes, about */
    bool is_directed; /* as listed; else symmetric without loops and repeated arcs */
    uint64_t seed;
} made_graph_t;

/* Make a graph; its ids are 10, 17, 24, ...  Fails the program without memory. */
csr_t made_graph(const made_graph_t *what);

/* Make a graph from text: "3-5 5-9:4" has three nodes and two edges, the second of weight
 * 4; a directed one has arcs instead of edges. */
csr_t made_graph_of(const char *edges, bool is_directed);

/* Compute a task of one source or none. @return the status of the backend; *out is to be
 * freed if that is ST_OK */
status_t made_graph_compute(const graph_backend_t *backend,
                            const graph_context_t *context, const graph_task_t *task,
                            graph_result_t *out);

/* @return a specification with the default of each option, and x[u] = 1 / (u + 1); its
 * vectors are static, for at most 100,000 nodes */
graph_spec_t made_graph_spec(graph_algorithm_t algorithm);
