/*
 * csr_file.h - a graph in compressed sparse rows as an HDF5 file.
 *
 * docs/file-format.md describes the file for its readers.
 */
#ifndef RIBOGRID_IO_GRAPHFILE_CSR_FILE_H
#define RIBOGRID_IO_GRAPHFILE_CSR_FILE_H

#include "io/base/pool.h"
#include "io/graphfile/csr.h"
#include "io/graphfile/csr_rows.h"
#include "io/result/result_kind.h"
#include "io/result/run_info.h"

extern const result_kind_t csr_file_kind;

/*
 * Write a file, which appears complete or not at all.
 *
 * @param force  replace an existing file
 * @param run    how it was made; NULL: the file does not say
 * @param pool   threads that compress, or NULL
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT
 */
status_t csr_file_write(const char *path, bool force, const csr_t *g,
                        const run_info_t *run, pool_t *pool) MUST_CHECK;

/*
 * Read a file.
 *
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT (logged: damaged, or no graph)
 */
status_t csr_file_read(const char *path, csr_t *out) MUST_CHECK;

/* A file that is open: its arcs are read in parts. */
typedef struct csr_file csr_file_t;

/*
 * Open a file and read all but its arcs.
 *
 * @param nodes  out, the caller's: `to`, weight and value are NULL, and is_symmetric is
 *               not known
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT (logged: damaged, or no graph)
 */
status_t csr_file_open(const char *path, csr_t *nodes, csr_file_t **out) MUST_CHECK;

/* @return the arcs, the file's, with the `first` of `nodes`; targets are not checked */
csr_arcs_t *csr_file_arcs(csr_file_t *file);

/* Takes NULL. */
void csr_file_close(csr_file_t *file);

#endif
