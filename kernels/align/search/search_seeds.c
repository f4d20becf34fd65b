/*
 * search_seeds.c - pairs that share no seeds are not scored.
 *
 * The threads take rows of tiles: a query, whose words are found once, and the targets of
 * a tile.
 */
#include "io/base/logmsg.h"
#include "kernels/align/search/search_state.h"
#include "kernels/align/seeds/seed_filter.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* Pairs of a batch with the same tile and query. */
typedef struct {
    int64_t first, n, n_left;
    int tile;
} row_t;

struct search_seeds {
    const search_context_t *context;
    int n_threads;
    seed_filter_t **filters; /* [n_threads] */
    buf_t rows;              /* row_t of a batch */
    search_batch_t *batch;
    atomic_bool has_failed; /* no memory */
};

status_t search_seeds_create(const search_context_t *c, search_seeds_t **out)
{
    search_seeds_t *s = calloc(1, sizeof(*s));
    status_t st = ST_OK;

    if (s == NULL)
        return log_nomem("a filter of seeds");
    *out = s;
    s->context = c;
    s->n_threads = pool_n_threads(c->pool);
    s->filters = calloc((size_t)s->n_threads, sizeof(*s->filters));
    if (s->filters == NULL)
        return log_nomem("a filter of seeds");
    for (int k = 0; st == ST_OK && k < s->n_threads; k++)
        st = seed_filter_create(&c->spec->scoring, &s->filters[k]);
    return st;
}

void search_seeds_destroy(search_seeds_t *s)
{
    if (s == NULL)
        return;
    for (int k = 0; s->filters != NULL && k < s->n_threads; k++)
        seed_filter_destroy(s->filters[k]);
    free(s->filters);
    buf_free(&s->rows);
    free(s);
}

static status_t list_rows(search_seeds_t *s)
{
    const search_batch_t *b = s->batch;
    status_t st = ST_OK;

    s->rows.len = 0;
    for (int k = 0; k < b->n_tiles; k++) {
        const int64_t n_rows = b->tiles[k].row1 - b->tiles[k].row0;
        const int64_t n = b->first_pair[k + 1] - b->first_pair[k];

        for (int64_t row = 0; st == ST_OK && row < n_rows; row++)
            st = buf_append(&s->rows,
                            &(row_t){.first = b->first_pair[k] + row * (n / n_rows),
                                     .n = n / n_rows,
                                     .tile = k},
                            sizeof(row_t));
    }
    return st;
}

/* Move the pairs of a row that pass to its front. */
static void filter_row(void *ctx, int64_t k, int thread)
{
    search_seeds_t *s = ctx;
    const seqset_t *set = s->context->set;
    row_t *row = (row_t *)(void *)s->rows.data + k;
    pair_t *pairs = s->batch->pairs + row->first;
    seed_filter_t *filter = s->filters[thread];

    if (row->n == 0 || align_cancelled(s->context->run.cancel))
        return;
    if (seed_filter_set(filter, seqset_letters(set, pairs->query),
                        seqset_len(set, pairs->query)) != ST_OK) {
        atomic_store(&s->has_failed, true);
        return;
    }
    for (int64_t i = 0; i < row->n; i++)
        if (seed_filter_passes(filter, seqset_letters(set, pairs[i].target),
                               seqset_len(set, pairs[i].target)))
            pairs[row->n_left++] = pairs[i];
}

/* Close the gaps between rows. */
static void close_gaps(const search_seeds_t *s)
{
    const row_t *row = (const row_t *)(const void *)s->rows.data;
    const row_t *end = row + s->rows.len / sizeof(*row);
    search_batch_t *b = s->batch;
    int64_t n = 0;

    for (int k = 0; k < b->n_tiles; k++) {
        b->first_pair[k] = n;
        for (; row < end && row->tile == k; row++) {
            memmove(b->pairs + n, b->pairs + row->first,
                    (size_t)row->n_left * sizeof(*b->pairs));
            b->dropped[k].n[1] += row->n - row->n_left;
            n += row->n_left;
        }
    }
    b->first_pair[b->n_tiles] = n;
    b->batch.n = n;
}

status_t search_seeds_run(search_seeds_t *s, search_batch_t *batch)
{
    status_t st = ST_OK;

    s->batch = batch;
    if (batch->batch.n == 0 || (st = list_rows(s)) != ST_OK)
        return st;
    pool_run(s->context->pool, (int64_t)(s->rows.len / sizeof(row_t)), filter_row, s);
    if (atomic_load(&s->has_failed))
        return ST_ENOMEM;
    close_gaps(s);
    return ST_OK;
}
