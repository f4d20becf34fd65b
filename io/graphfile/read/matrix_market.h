/*
 * matrix_market.h - reads Matrix Market files
 * (https://math.nist.gov/MatrixMarket/formats.html): square matrices in coordinate form.
 *
 * Entry (i, j) is an arc from i to j, ids count from 1.  Entries of a symmetric matrix
 * are edges in both directions; of a skew-symmetric one, the reverse arc has the negative
 * value. Integers of 0 .. INT32_MAX are weights; if there are others, all are values.
 */
#ifndef RIBOGRID_IO_GRAPHFILE_READ_MATRIX_MARKET_H
#define RIBOGRID_IO_GRAPHFILE_READ_MATRIX_MARKET_H

#include "io/graphfile/graph_edges.h"
#include "io/graphfile/read/graph_text.h"

/* Read a file. @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT */
status_t matrix_market_read(graph_text_t *t, graph_edges_t *out) MUST_CHECK;

#endif
