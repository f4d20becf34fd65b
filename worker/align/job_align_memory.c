/*
 * job_align_memory.c - the sizes of batches and pieces that fit the memory given by
 * --memory and --device-memory.
 */
#include "worker/align/job_align_memory.h"

#include "worker/align/job_align_edits.h"
#include "worker/align/job_align_results.h"

/* Tiles of a batch, at most.  Behind a filter a tile may have next to no pairs. */
enum { TILES_MAX = 1024, TILES_FILTERED_MAX = 1 << 16 };

/* What a kernel keeps on a GPU per pair besides its CIGAR, and the fraction of the GPU's
 * memory for both, without and with CIGARs: sequences and lines of matrices take the
 * rest. */
enum { DEVICE_PAIR_BYTES = 64, DEVICE_DIVISOR = 4, DEVICE_CIGAR_DIVISOR = 2 };

/* The fraction of the host's memory for what the filter passes. */
enum { FILTER_DIVISOR = 4 };

/* Pairs filtered per launch, at most: enough for a GPU.  All pairs of two pieces may pass
 * and have to fit into the filter's fraction of the memory: 25 bytes per pair on the host
 * and 16 on the device, times 4. */
enum { PIECE_PAIRS = 1 << 28, PIECE_HOST_BYTES = 4 * 25, PIECE_DEVICE_BYTES = 4 * 16 };

/* With a filter there is one batch at a time.  Side by side, its kernels and those of the
 * aligner, whose blocks stay until all is done, would take a multiprocessor's registers
 * from each other, and both would be slower than one after the other.  Little work is
 * left for the host then. */
int job_align_depth(const job_align_t *j)
{
    return j->filter != NULL ? 1 : aligner_depth(j->aligner);
}

static int64_t tile_values(const job_align_t *j)
{
    return j->grid.side * j->grid.side;
}

/* @return pairs that the batches in flight may have on the device */
static int64_t device_pairs(const job_align_t *j)
{
    int64_t cigar_bytes = job_align_cigar_device_bytes(j);
    int divisor = cigar_bytes > 0 ? DEVICE_CIGAR_DIVISOR : DEVICE_DIVISOR;

    return j->device_bytes / divisor / (DEVICE_PAIR_BYTES + cigar_bytes);
}

/* @return tiles of which a batch may align all pairs, at least 1 */
static int64_t whole_tiles(const job_align_t *j)
{
    int n_datasets =
        j->spec.n_datasets == PAIRS_N_CIGAR ? PAIRS_N_IDENTITY : j->spec.n_datasets;
    int64_t results = (int64_t)sizeof(int32_t) * n_datasets, depth = job_align_depth(j);
    /* A batch in flight takes memory here and once more on its way: while it is copied
     * or divided among several backends.  Collected ones have their values, and one of
     * them is packed. */
    int64_t kept = j->is_sparse ? JOB_PLACES * (int64_t)sizeof(pairs_hit_t)
                                : (JOB_PLACES + 1) * results;
    int64_t bytes = depth * (4 * (int64_t)sizeof(pair_t) + 2 * results) + kept +
                    job_align_cigar_bytes(j) + job_align_identity_bytes(j) +
                    job_align_edits_bytes(j);
    int64_t memory = j->opts->batch_bytes, pairs, tiles;
    int64_t on_device = device_pairs(j) / depth;

    if (j->filter != NULL)
        memory -= memory / FILTER_DIVISOR;
    pairs = memory / bytes < on_device ? memory / bytes : on_device;
    tiles = pairs / (j->n_strands * tile_values(j) + 1);
    return tiles < 1 ? 1 : tiles;
}

int64_t job_align_batch_pairs(const job_align_t *j)
{
    return whole_tiles(j) * tile_values(j) * j->n_strands;
}

int job_align_batch_limit(const job_align_t *j)
{
    int64_t tiles;

    if (j->filter != NULL)
        return TILES_FILTERED_MAX;
    tiles = whole_tiles(j);
    return tiles > TILES_MAX ? TILES_MAX : (int)tiles;
}

int job_align_piece_limit(const job_align_t *j)
{
    int64_t tile = tile_values(j) * j->n_strands;
    int64_t host = j->opts->batch_bytes / PIECE_HOST_BYTES / tile;
    int64_t device = j->device_bytes / PIECE_DEVICE_BYTES / tile;
    int64_t n = host < device ? host : device;

    if (n > PIECE_PAIRS / tile + 1)
        n = PIECE_PAIRS / tile + 1;
    return n < 1 ? 1 : (int)n;
}
