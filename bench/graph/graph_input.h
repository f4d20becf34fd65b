/*
 * graph_input.h - the graph that `ribogrid-bench graph` measures: a file, or a generated
 * one.
 */
#ifndef RIBOGRID_BENCH_GRAPH_GRAPH_INPUT_H
#define RIBOGRID_BENCH_GRAPH_GRAPH_INPUT_H

#include "io/graphfile/make/graph_make.h"
#include "io/graphfile/read/graph_read.h"

typedef struct {
    const char *name; /* "rmat:20:16", or the path of a file */
    graph_read_options_t read;
    bool is_directed;    /* keep the directions; otherwise the graph is made undirected */
    csr_options_t build; /* weights alone; files without whole ones get random ones */
    uint64_t seed;       /* of generated graphs */
} graph_input_t;

/*
 * Parse the name of a generated graph: rmat:SCALE[:EDGE_FACTOR], grid:ROWS[:COLUMNS],
 * road:NODES, clone:DEGREES, tree:DEPTH[:CHILDREN].
 *
 * @return ST_OK, ST_EUSAGE if the numbers after a kind's name are wrong, or ST_EDONE: it
 *         is the path of a file
 */
status_t graph_input_parse(const char *name, graph_make_options_t *out) MUST_CHECK;

/* Read or generate the graph, without loops and repeated arcs.
 * @return ST_OK, ST_ENOMEM, ST_EIO, ST_EINPUT or ST_EUSAGE (logged) */
status_t graph_input_read(const graph_input_t *in, pool_t *pool, csr_t *out) MUST_CHECK;

#endif
