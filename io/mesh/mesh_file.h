/*
 * mesh_file.h - a mesh, or what one is to be made of, as an HDF5 file
 * (docs/file-format.md, docs/mesh.md).
 */
#pragma once

#include "io/base/pool.h"
#include "io/mesh/mesh_data.h"
#include "io/result/result_kind.h"
#include "io/result/run_info.h"

extern const result_kind_t mesh_file_kind;

/* How it was refined. */
typedef struct {
    int64_t n_rounds, n_cavities, n_conflicts, n_cut, n_stuck;
    int64_t is_partial; /* a limit of points was reached */
    char *job;          /* lines "name=value": all that the content depends on */
    run_info_t info;
} mesh_file_run_t;

/* Write a file, which appears complete or not at all.
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT (logged) */
status_t mesh_file_write(const char *path, bool force, const mesh_data_t *d,
                         const mesh_file_run_t *run, pool_t *pool) MUST_CHECK;

/* Read a file.  Paths are those of datasets ("m.h5 /points"), lines numbers of rows.
 * @param run  out, freed by mesh_file_run_free; or NULL
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT (logged) */
status_t mesh_file_read(const char *path, mesh_data_t *out,
                        mesh_file_run_t *run) MUST_CHECK;

/* Set paths and lines of a mesh without them, and check its numbers again: it comes from
 * a process that read the file. @return ST_OK, ST_ENOMEM or ST_EINPUT (logged); then it
 * is freed */
status_t mesh_file_settle(const char *path, mesh_data_t *d) MUST_CHECK;

/* Takes a zeroed one, too. */
void mesh_file_run_free(mesh_file_run_t *run);
