/*
 * graph_write.h - writes a graph in the format that the file's name asks for.
 *
 * .h5 and .hdf5: csr_file.h.  .mtx: Matrix Market.  .txt, .el, .edges, .edgelist: edge
 * list.  .gr: DIMACS.  .graph and .metis: METIS.  Edge lists have original ids and lack
 * nodes without edges; the other texts have node numbers, from 1.
 */
#ifndef RIBOGRID_IO_GRAPHFILE_MAKE_GRAPH_WRITE_H
#define RIBOGRID_IO_GRAPHFILE_MAKE_GRAPH_WRITE_H

#include "io/base/pool.h"
#include "io/graphfile/csr.h"
#include "io/result/run_info.h"

/* Check the name before the work starts. @return ST_OK or ST_EUSAGE (logged: unknown end
 * of the name) */
status_t graph_write_check(const char *path) MUST_CHECK;

/*
 * Write a file, which appears complete or not at all.
 *
 * @param force  replace an existing file
 * @param run    for HDF5: how the graph was made; NULL: not said
 * @param pool   threads that compress HDF5, or NULL
 * @return ST_OK, ST_ENOMEM, ST_EIO, ST_EUSAGE, or ST_EINPUT (logged: the format cannot
 *         hold such a graph)
 */
status_t graph_write(const char *path, bool force, const csr_t *g, const run_info_t *run,
                     pool_t *pool) MUST_CHECK;

#endif
