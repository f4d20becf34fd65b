/*
 * map_blocks.c - chooses OTUs by their number of sequences, and orders these.
 */
#include "graph/summary/heat_map.h"

#include "io/base/logmsg.h"

#include <stdbool.h>
#include <stdlib.h>

typedef struct {
    int64_t otu, n_members;
} candidate_t;

static int by_members(const void *a, const void *b)
{
    const candidate_t *x = a, *y = b;

    if (x->n_members != y->n_members)
        return x->n_members > y->n_members ? -1 : 1;
    return (x->otu > y->otu) - (x->otu < y->otu);
}

/* @return the number of OTUs to show, from the first one; their blocks fill the less of
 *         the map the more they are */
static int64_t n_to_show(const candidate_t *sorted, int64_t n_otus, int64_t min_sequences)
{
    double filled = 0, side = 0;
    int64_t k = 0;

    for (; k < n_otus; k++) {
        const double members = (double)sorted[k].n_members;

        if (side >= (double)min_sequences &&
            MAP_BLOCKS_FILL * (filled + members * members) <
                (side + members) * (side + members))
            break;
        filled += members * members;
        side += members;
    }
    return k;
}

/* List the blocks as their OTUs first occur in the order. @param block_of  [n_otus] -1:
 * to be shown, -2: not */
static void place_blocks(const otu_table_t *t, const int32_t *order, int64_t *block_of,
                         map_blocks_t *b)
{
    for (int64_t k = 0; k < t->n; k++) {
        const int32_t otu = t->otu[order[k]];

        if (otu < 0 || block_of[otu] != -1)
            continue;
        b->blocks[b->n_blocks] =
            (map_block_t){otu, b->n,
                          b->n + t->member_start[otu + 1] - t->member_start[otu]};
        b->n = b->blocks[b->n_blocks].end;
        block_of[otu] = b->n_blocks++;
    }
}

static void place_sequences(const otu_table_t *t, const int32_t *order,
                            const int64_t *block_of, int64_t *next, map_blocks_t *b)
{
    for (int64_t k = 0; k < b->n_blocks; k++)
        next[k] = b->blocks[k].begin;
    for (int64_t k = 0; k < t->n; k++) {
        const int32_t otu = t->otu[order[k]];

        if (otu >= 0 && block_of[otu] >= 0)
            b->order[next[block_of[otu]]++] = order[k];
    }
}

status_t map_blocks_make(const otu_table_t *t, const int32_t *order,
                         int64_t min_sequences, map_blocks_t *out)
{
    const size_t count = (size_t)t->n_otus + 1;
    map_blocks_t b = {.order = malloc(((size_t)t->n + 1) * sizeof(*b.order)),
                      .blocks = malloc(count * sizeof(*b.blocks))};
    candidate_t *sorted = malloc(count * sizeof(*sorted));
    int64_t *block_of = malloc(count * sizeof(*block_of));
    int64_t *next = malloc(count * sizeof(*next)), n_shown;
    const bool has_memory = b.order != NULL && b.blocks != NULL && sorted != NULL &&
                            block_of != NULL && next != NULL;

    for (int64_t k = 0; has_memory && k < t->n_otus; k++)
        sorted[k] = (candidate_t){k, t->member_start[k + 1] - t->member_start[k]};
    if (has_memory) {
        qsort(sorted, (size_t)t->n_otus, sizeof(*sorted), by_members);
        n_shown = n_to_show(sorted, t->n_otus, min_sequences);
        for (int64_t k = 0; k < t->n_otus; k++)
            block_of[sorted[k].otu] = k < n_shown ? -1 : -2;
        place_blocks(t, order, block_of, &b);
        place_sequences(t, order, block_of, next, &b);
    }
    free(sorted);
    free(block_of);
    free(next);
    if (!has_memory) {
        map_blocks_free(&b);
        return log_nomem("blocks of a heat map");
    }
    *out = b;
    return ST_OK;
}

void map_blocks_free(map_blocks_t *b)
{
    free(b->order);
    free(b->blocks);
    *b = (map_blocks_t){0};
}
