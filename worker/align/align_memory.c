/*
 * align_memory.c - bytes per pair of a batch, in the host's memory and the device's.
 */
#include "worker/align/align_memory.h"

#include "io/pairs/write/pairs_hits.h"
#include "io/pairs/write/pairs_write.h"

/* Tiles of a batch, at most. */
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

int64_t align_memory_of_device(const device_t *device, int64_t given)
{
    return !device_is_gpu(device) ? INT64_MAX
           : given > 0            ? given
                                  : device->memory_bytes / 2;
}

/* @return bases of a sequence with a CIGAR, in the mean; 0: none is computed */
static int64_t mean_len(const align_memory_t *m)
{
    const int64_t n = m->set->n;

    return m->spec->align.emit == EMIT_CIGAR && n > 0 ? m->set->offset[n] / n : 0;
}

/* Runs are 4 bytes every other base, or every fourth where columns are joined, held by
 * the kernel and on their way; text is a quarter of that, in every place. */
static int64_t cigar_bytes(const align_memory_t *m)
{
    return (4 + m->places) * mean_len(m) / (m->spec->align.join_columns ? 2 : 1);
}

/* A GPU has room for the maximum number of runs, one per base of either sequence, twice:
 * as they are traced, and packed. */
static int64_t cigar_device_bytes(const align_memory_t *m)
{
    return 2 * 2 * (int64_t)sizeof(uint32_t) * mean_len(m);
}

/* @return pairs that the batches in flight may have on the device */
static int64_t device_pairs(const align_memory_t *m)
{
    const int64_t cigar = cigar_device_bytes(m);
    const int divisor = cigar > 0 ? DEVICE_CIGAR_DIVISOR : DEVICE_DIVISOR;

    return m->device_bytes / divisor / (DEVICE_PAIR_BYTES + cigar);
}

int64_t align_memory_pairs(const align_memory_t *m)
{
    const int n_datasets =
        m->spec->n_datasets == PAIRS_N_CIGAR ? PAIRS_N_IDENTITY : m->spec->n_datasets;
    const int64_t results = (int64_t)sizeof(int32_t) * n_datasets;
    const int64_t depth = search_depth(m->search);
    /* A batch in flight takes memory here and once more on its way: while it is copied
     * or divided among several backends.  Collected ones have their values, and one of
     * them is packed. */
    const int64_t kept = m->is_sparse ? m->places * (int64_t)sizeof(pairs_entry_t)
                                      : (m->places + 1) * results;
    const int64_t bytes = depth * (4 * (int64_t)sizeof(pair_t) + 2 * results) + kept +
                          cigar_bytes(m) + search_pair_bytes(m->search);
    const int64_t on_device = device_pairs(m) / depth;
    int64_t memory = m->host_bytes;

    if (search_has_filter(m->search))
        memory -= memory / FILTER_DIVISOR;
    return memory / bytes < on_device ? memory / bytes : on_device;
}

int64_t align_memory_tiles(const align_memory_t *m)
{
    const int64_t tiles = align_memory_pairs(m) / (m->n_strands * m->tile_values + 1);

    return tiles < 1 ? 1 : tiles;
}

int align_memory_max_tiles(const align_memory_t *m)
{
    int64_t tiles;

    if (search_has_filter(m->search))
        return TILES_FILTERED_MAX;
    tiles = align_memory_tiles(m);
    return tiles > TILES_MAX ? TILES_MAX : (int)tiles;
}

/* @return tiles that a piece of the filter may have, at least one */
static int piece_tiles(const align_memory_t *m)
{
    const int64_t tile = m->tile_values * m->n_strands;
    const int64_t host = m->host_bytes / PIECE_HOST_BYTES / tile;
    const int64_t device = m->device_bytes / PIECE_DEVICE_BYTES / tile;
    int64_t n = host < device ? host : device;

    if (n > PIECE_PAIRS / tile + 1)
        n = PIECE_PAIRS / tile + 1;
    return n < 1 ? 1 : (int)n;
}

search_limits_t align_memory_limits(const align_memory_t *m)
{
    return (search_limits_t){.pairs =
                                 align_memory_tiles(m) * m->tile_values * m->n_strands,
                             .piece_tiles = piece_tiles(m)};
}
