/*
 * align_memory.h - the sizes of batches and pieces of a search that fit the memory for
 * them.
 */
#pragma once

#include "kernels/align/search/search.h"
#include "worker/align/job_align_spec.h"

typedef struct {
    const search_t *search;
    const seqset_t *set;
    const job_align_spec_t *spec;
    int64_t tile_values;  /* of one strand */
    int64_t host_bytes;   /* for batches */
    int64_t device_bytes; /* of the device's memory, for what it keeps of each pair */
    int n_strands;
    bool is_sparse;
    int places; /* where collected batches wait, besides the one that is taken */
} align_memory_t;

/* @param given  bytes of a GPU's memory for batches; 0: half of it
 * @return align_memory_t's device_bytes; INT64_MAX on CPUs */
int64_t align_memory_of_device(const device_t *device, int64_t given);

/* @return pairs that a batch may have */
int64_t align_memory_pairs(const align_memory_t *m);

/* @return tiles of which a batch may align all pairs, at least 1 */
int64_t align_memory_tiles(const align_memory_t *m);

/* @return tiles of a batch, at most: behind a filter a tile may have next to no pairs */
int align_memory_max_tiles(const align_memory_t *m);

/* @return pairs that a batch may align, at least those of one tile, and tiles that the
 *         filters take at a time */
search_limits_t align_memory_limits(const align_memory_t *m);
