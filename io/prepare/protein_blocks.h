/*
 * protein_blocks.h - the residues of a database of proteins, block by block: a database
 * larger than the memory for it is searched all the same.
 *
 * Queries and proteins make one set, as seqset_join does, whose residues have addresses
 * but take no memory until a block is held.  Each block is checked when it is read, by
 * its letters and its digest.  Used by one thread.
 */
#pragma once

#include "io/prepare/protein_db.h"

typedef struct protein_blocks protein_blocks_t;

/*
 * Open a database's residues.
 *
 * @param path       borrowed until close
 * @param db         what protein_db_read has found; likewise
 * @param queries    proteins; copied
 * @param max_bytes  residues to keep in memory, besides those that are held
 * @param pool       threads that read, or NULL
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT (logged)
 */
status_t protein_blocks_open(const char *path, const protein_db_t *db,
                             const seqset_t *queries, int64_t max_bytes, pool_t *pool,
                             protein_blocks_t **out) MUST_CHECK;

/* @return queries and proteins, which close destroys */
seqset_t *protein_blocks_set(const protein_blocks_t *b);

/*
 * Read the blocks of proteins `first` .. end-1, counted from 0 without the queries, where
 * they are not in memory, and keep them until they are released as often.
 *
 * Blocks that nobody holds make room, those first that were not held for longest.  The
 * system is told to read what follows.
 *
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT (logged: damaged), after which only
 *         close may follow
 */
status_t protein_blocks_hold(protein_blocks_t *b, int64_t first, int64_t end) MUST_CHECK;
void protein_blocks_release(protein_blocks_t *b, int64_t first, int64_t end);

/* @return residues in memory */
int64_t protein_blocks_resident(const protein_blocks_t *b);

/* Takes NULL. */
void protein_blocks_close(protein_blocks_t *b);
