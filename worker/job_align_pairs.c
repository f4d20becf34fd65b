/*
 * job_align_pairs.c - the job "align" on a worker: which pairs of its tiles are aligned.
 */
#include "io/logmsg.h"
#include "worker/job_align_state.h"

#include <stdlib.h>
#include <string.h>

int64_t job_align_tile_pairs(const job_align_t *j, int64_t task)
{
    tile_t tile = tile_at(&j->grid, task);

    return tile_pairs(&tile) * j->n_strands;
}

static status_t reserve(job_align_slot_t *s, int64_t n)
{
    if (n <= s->pairs_capacity)
        return ST_OK;
    s->pairs_capacity = 0;
    free(s->pairs);
    if ((s->pairs = malloc((size_t)n * sizeof(*s->pairs))) == NULL)
        return log_nomem("a batch's pairs");
    s->pairs_capacity = n;
    return ST_OK;
}

/* A slot's tiles are worked on by all threads of the pool. */
typedef struct {
    const job_align_t *job;
    job_align_slot_t *slot;
} tiles_t;

/* The pairs of a tile, row by row; of a pair first the query as it is. */
static void list_tile(void *ctx, int64_t item, int thread)
{
    const tiles_t *t = ctx;
    const job_align_t *j = t->job;
    tile_t tile = tile_at(&j->grid, t->slot->tiles[item]);
    pair_t *out = t->slot->pairs + t->slot->first_pair[item];

    (void)thread;
    for (int64_t i = tile.row0; i < tile.row1; i++)
        for (int64_t k = tile.col0 > i ? tile.col0 : i + 1; k < tile.col1; k++)
            for (int64_t strand = 0; strand < j->n_strands; strand++)
                *out++ = (pair_t){(int32_t)(i + strand * j->n_queries), (int32_t)k};
}

status_t job_align_list_pairs(job_align_t *j, job_align_slot_t *slot)
{
    tiles_t tiles = {j, slot};
    int64_t n_pairs = 0;
    status_t st;

    for (int k = 0; k < slot->n_tiles; k++) {
        slot->first_pair[k] = n_pairs;
        n_pairs += job_align_tile_pairs(j, slot->tiles[k]);
        slot->dropped[k] = (job_align_dropped_t){{0}};
    }
    slot->first_pair[slot->n_tiles] = n_pairs;
    if ((st = reserve(slot, n_pairs)) != ST_OK)
        return st;
    pool_run(j->pool, slot->n_tiles, list_tile, &tiles);
    slot->batch = (pair_batch_t){slot->pairs, n_pairs};
    return ST_OK;
}
