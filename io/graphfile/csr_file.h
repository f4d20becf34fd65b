/*
 * csr_file.h - a graph in compressed sparse rows as an HDF5 file.
 *
 * docs/file-format.md describes the file for its readers.
 */
#pragma once

#include "io/base/pool.h"
#include "io/graphfile/csr.h"
#include "io/graphfile/csr_changes.h"
#include "io/graphfile/graph_edges.h"
#include "io/result/result_kind.h"
#include "io/result/run_info.h"

extern const result_kind_t csr_file_kind;

/*
 * Write a file, which appears complete or not at all.
 *
 * @param force  replace an existing file
 * @param changes  from which graph it was made; NULL: from none
 * @param run    how it was made; NULL: the file does not say
 * @param pool   threads that compress, or NULL
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT
 */
status_t csr_file_write(const char *path, bool force, const csr_t *g,
                        const csr_changes_t *changes, const run_info_t *run,
                        pool_t *pool) MUST_CHECK;

/*
 * Read a file.
 *
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT (logged: damaged, or no graph)
 */
status_t csr_file_read(const char *path, graph_weights_t weights, csr_t *out) MUST_CHECK;

/*
 * Read all of a file but its arcs.
 *
 * @param nodes  out, the caller's: `to`, weight and value are NULL, and is_symmetric is
 *               not known
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT (logged: damaged, or no graph)
 */
status_t csr_file_read_nodes(const char *path, csr_t *nodes) MUST_CHECK;

/* Read the targets of arcs begin .. end-1, which are not checked.
 * @param to  [end - begin] out @return as csr_file_read_nodes */
status_t csr_file_read_targets(const char *path, int64_t begin, int64_t end,
                               int32_t *to) MUST_CHECK;

/*
 * Read from which graph that of a file was made.
 *
 * @param n_nodes  of the file's graph
 * @param out      the caller's, also on errors; zeros if the file does not say
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT (logged: damaged, or no graph)
 */
status_t csr_file_read_changes(const char *path, int64_t n_nodes,
                               csr_changes_t *out) MUST_CHECK;
