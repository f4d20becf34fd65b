/*
 * protein_db.h - a database of proteins as an HDF5 file, which `search build` writes:
 * parsed, masked, and with a digest.
 */
#pragma once

#include "io/prepare/prepare.h"
#include "io/result/result_kind.h"
#include "io/result/run_info.h"

extern const result_kind_t protein_db_kind;

typedef struct {
    seqset_t *set; /* masked */
    mask_t mask;   /* how */
} protein_db_t;

extern const arrays_t protein_db_arrays;

/*
 * Write a file, which appears complete or not at all.
 *
 * @param force  replace an existing file
 * @param pool   threads that compress, or NULL
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT (logged)
 */
status_t protein_db_write(const char *path, bool force, const protein_db_t *db,
                          const run_info_t *run, pool_t *pool) MUST_CHECK;

/* @return whether a file is HDF5, so that it may be a database, and is no FASTA */
bool protein_db_is_hdf5(const char *path);

/*
 * Read and check a file: residues and names are those that were written.
 *
 * @param out  freed by the caller
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT (logged: damaged, or no database)
 */
status_t protein_db_read(const char *path, protein_db_t *out) MUST_CHECK;

void protein_db_free(protein_db_t *db);

/* @return how many residues are X: masked, or unknown before */
int64_t protein_db_count_x(const protein_db_t *db);
