/*
 * dimacs.h - reads shortest-path files of the 9th DIMACS challenge (.gr): comments "c
 * ...", "p sp NODES ARCS", arcs "a SOURCE TARGET WEIGHT"; ids count from 1.
 */
#ifndef RIBOGRID_IO_GRAPHFILE_READ_DIMACS_H
#define RIBOGRID_IO_GRAPHFILE_READ_DIMACS_H

#include "io/graphfile/graph_edges.h"
#include "io/graphfile/read/graph_text.h"

/* Read a file. @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT */
status_t dimacs_read(graph_text_t *t, graph_edges_t *out) MUST_CHECK;

#endif
