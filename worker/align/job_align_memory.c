/*
 * job_align_memory.c - the sizes of batches and pieces that fit the memory given by
 * --memory and --device-memory.
 */
#include "worker/align/job_align_state.h"

#include <string.h>

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

/* The fraction of a rank's memory, or of --memory if it is given, for the residues of a
 * built database. */
enum { WINDOW_DIVISOR = 4, WINDOW_GIVEN_DIVISOR = 2 };

/* The fraction of a GPU's memory, or of --device-memory, that all sequences may take. */
enum { DEVICE_SET_DIVISOR = 2 };

/* Zeros around a sequence on a GPU, about. */
enum { DEVICE_SET_PADS = 96 };

bool job_align_may_window(const job_align_t *j)
{
    const char *kernel = j->opts->common.kernel;

    return j->opts->composition != COMP_OFF &&
           (strcmp(kernel, "auto") == 0 || strcmp(kernel, "pscan") == 0);
}

bool job_align_in_windows(const job_align_t *j, const device_t *device)
{
    const int64_t bytes =
        IS_GIVEN(j->opts, device_bytes) ? j->opts->device_bytes : device->memory_bytes;

    return device_is_gpu(device) && job_align_may_window(j) &&
           (j->in_blocks || j->set->offset[j->set->n] + DEVICE_SET_PADS * j->set->n >
                                bytes / DEVICE_SET_DIVISOR);
}

int64_t job_align_window(const job_align_t *j)
{
    const binding_t *b = j->opts->common.binding;

    if (b != NULL && device_is_gpu(&b->device) && !job_align_may_window(j))
        return INT64_MAX; /* they are copied to the device */
    if (IS_GIVEN(j->opts, batch_bytes))
        return j->opts->batch_bytes / WINDOW_GIVEN_DIVISOR;
    return b != NULL ? b->memory_bytes / WINDOW_DIVISOR : INT64_MAX;
}

int64_t job_align_batch_bytes(const job_align_t *j)
{
    const int64_t bytes = j->opts->batch_bytes;

    return j->in_blocks && IS_GIVEN(j->opts, batch_bytes)
               ? bytes - bytes / WINDOW_GIVEN_DIVISOR
               : bytes;
}

int job_align_depth(const job_align_t *j)
{
    return search_depth(j->search);
}

static int64_t tile_values(const job_align_t *j)
{
    return tile_grid_values(&j->grid);
}

/* @return bases of a sequence with a CIGAR, in the mean; 0: none is computed */
static int64_t mean_len(const job_align_t *j)
{
    int64_t n = j->set->n;

    return j->spec.align.emit == EMIT_CIGAR && n > 0 ? j->set->offset[n] / n : 0;
}

/* Runs are 4 bytes every other base, or every fourth where columns are joined, held by
 * the kernel and on their way; text is a quarter of that, in every place. */
static int64_t cigar_bytes(const job_align_t *j)
{
    return (4 + JOB_PLACES) * mean_len(j) / (j->spec.align.join_columns ? 2 : 1);
}

/* A GPU has room for the maximum number of runs, one per base of either sequence, twice:
 * as they are traced, and packed. */
static int64_t cigar_device_bytes(const job_align_t *j)
{
    return 2 * 2 * (int64_t)sizeof(uint32_t) * mean_len(j);
}

/* @return pairs that the batches in flight may have on the device */
static int64_t device_pairs(const job_align_t *j)
{
    int64_t cigar = cigar_device_bytes(j);
    int divisor = cigar > 0 ? DEVICE_CIGAR_DIVISOR : DEVICE_DIVISOR;

    return j->device_bytes / divisor / (DEVICE_PAIR_BYTES + cigar);
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
    int64_t kept = j->is_sparse ? JOB_PLACES * (int64_t)sizeof(pairs_entry_t)
                                : (JOB_PLACES + 1) * results;
    int64_t bytes = depth * (4 * (int64_t)sizeof(pair_t) + 2 * results) + kept +
                    cigar_bytes(j) + search_pair_bytes(j->search);
    int64_t memory = job_align_batch_bytes(j), pairs, tiles;
    int64_t on_device = device_pairs(j) / depth;

    if (search_has_filter(j->search))
        memory -= memory / FILTER_DIVISOR;
    pairs = memory / bytes < on_device ? memory / bytes : on_device;
    tiles = pairs / (j->n_strands * tile_values(j) + 1);
    return tiles < 1 ? 1 : tiles;
}

int job_align_batch_limit(const job_align_t *j)
{
    int64_t tiles;

    if (search_has_filter(j->search))
        return TILES_FILTERED_MAX;
    tiles = whole_tiles(j);
    return tiles > TILES_MAX ? TILES_MAX : (int)tiles;
}

/* @return tiles that a piece of the filter may have, at least one */
static int piece_tiles(const job_align_t *j)
{
    int64_t tile = tile_values(j) * j->n_strands;
    int64_t host = job_align_batch_bytes(j) / PIECE_HOST_BYTES / tile;
    int64_t device = j->device_bytes / PIECE_DEVICE_BYTES / tile;
    int64_t n = host < device ? host : device;

    if (n > PIECE_PAIRS / tile + 1)
        n = PIECE_PAIRS / tile + 1;
    return n < 1 ? 1 : (int)n;
}

search_limits_t job_align_limits(const job_align_t *j)
{
    return (search_limits_t){.pairs = whole_tiles(j) * tile_values(j) * j->n_strands,
                             .piece_tiles = piece_tiles(j)};
}
