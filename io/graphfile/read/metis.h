/*
 * metis.h - reads METIS files (.graph; Karypis, METIS 5.1 manual, section 4.1.1): a line
 * with the numbers of nodes and edges and which weights there are, then one line per node
 * with its neighbours; ids count from 1.
 *
 * Weights of edges are read, those of nodes are skipped.  Every edge has to be listed by
 * both its nodes.
 */
#ifndef RIBOGRID_IO_GRAPHFILE_READ_METIS_H
#define RIBOGRID_IO_GRAPHFILE_READ_METIS_H

#include "io/graphfile/graph_edges.h"
#include "io/graphfile/read/graph_text.h"

/* Read a file. @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT */
status_t metis_read(graph_text_t *t, graph_edges_t *out) MUST_CHECK;

#endif
