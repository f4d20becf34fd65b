/*
 * edge_list.h - reads edge lists as of SNAP (https://snap.stanford.edu/data/): one edge
 * per line, source, target and optionally a weight.
 *
 * Lines that start with # or % are comments.  Edges are directed, unless a comment starts
 * with "Undirected".  Only nodes that occur exist.  If the first line has the numbers of
 * nodes and of edges, and the rest of the file agrees, it is no edge.
 */
#ifndef RIBOGRID_IO_GRAPHFILE_READ_EDGE_LIST_H
#define RIBOGRID_IO_GRAPHFILE_READ_EDGE_LIST_H

#include "io/graphfile/graph_edges.h"
#include "io/graphfile/read/graph_text.h"

/*
 * Read a file.
 *
 * @param is_directed  in spite of a comment
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT
 */
status_t edge_list_read(graph_text_t *t, bool is_directed, graph_edges_t *out) MUST_CHECK;

#endif
