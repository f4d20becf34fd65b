/*
 * graph_makers.h - the generators behind graph_make; their options are in range.
 */
#ifndef RIBOGRID_IO_GRAPHFILE_MAKE_GRAPH_MAKERS_H
#define RIBOGRID_IO_GRAPHFILE_MAKE_GRAPH_MAKERS_H

#include "io/graphfile/make/graph_make.h"

/* All: set the edges, the direction and n_declared. @return as graph_make; what is in *e
 * is freed by the caller */
status_t make_rmat(const graph_make_options_t *o, pool_t *pool,
                   graph_edges_t *e) MUST_CHECK;
status_t make_grid(const graph_make_options_t *o, graph_edges_t *e) MUST_CHECK;
status_t make_road(const graph_make_options_t *o, graph_edges_t *e) MUST_CHECK;
status_t make_clone(const graph_make_options_t *o, graph_edges_t *e) MUST_CHECK;
status_t make_tree(const graph_make_options_t *o, graph_edges_t *e) MUST_CHECK;

#endif
