/*
 * protein_db.h - a database of proteins as an HDF5 file, which `search build` writes:
 * parsed, masked, and with a digest.
 */
#pragma once

#include "io/prepare/prepare.h"
#include "io/result/result_kind.h"
#include "io/result/run_info.h"

extern const result_kind_t protein_db_kind;

/* All but the residues, which protein_blocks.h reads. */
typedef struct {
    seqset_t *set;   /* without letters */
    mask_t mask;     /* how it is masked */
    int64_t n_x;     /* residues that are X: masked, or unknown before */
    int64_t letters; /* bit k: there may be letters of code k */
    int64_t digest;  /* seqset_digest of all of it */
    int64_t place;   /* of the residues in the file */
    int64_t n_blocks;
    int64_t *block_digest; /* [n_blocks] of residues, as they are in the file */
} protein_db_t;

extern const arrays_t protein_db_arrays;

/* @return the first protein of each block and the end of the last one, [*n + 1], for the
 *         caller to free; NULL: out of memory.  A block ends with the protein with which
 *         it has PROTEIN_BLOCK residues */
enum { PROTEIN_BLOCK = 1 << 18 };
int64_t *protein_db_blocks(const seqset_t *set, int64_t *n);

/*
 * Write a file, which appears complete or not at all.
 *
 * @param force  replace an existing file
 * @param set    masked
 * @param pool   threads that compress, or NULL
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT (logged)
 */
status_t protein_db_write(const char *path, bool force, const seqset_t *set, mask_t mask,
                          const run_info_t *run, pool_t *pool) MUST_CHECK;

/* @return whether a file is HDF5, so that it may be a database, and is no FASTA */
bool protein_db_is_hdf5(const char *path);

/*
 * Read and check a file, but for its residues.
 *
 * @param out  freed by the caller
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT (logged: damaged, or no database)
 */
status_t protein_db_read(const char *path, protein_db_t *out) MUST_CHECK;

void protein_db_free(protein_db_t *db);
