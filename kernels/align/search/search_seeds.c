/*
 * search_seeds.c - pairs that share no seeds are not scored.
 *
 * A row of a tile is a query, whose words are found once, and the targets of the tile.  A
 * GPU takes all rows at once; threads of the CPU take one at a time, and what a GPU
 * leaves to them.
 */
#include "io/base/logmsg.h"
#include "kernels/align/search/search_state.h"
#include "kernels/align/seeds/seed_filter.h"
#include "kernels/align/seeds/seed_gpu.h"

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
    seed_gpu_t *gpu;         /* NULL: there is none */
    buf_t rows;              /* row_t of a batch */
    buf_t gpu_rows, fates;   /* seed_row_t; uint8_t of each pair */
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
#ifdef RIBOGRID_HAVE_CUDA
    if (st == ST_OK && device_is_gpu(c->device) && !c->run.in_windows)
        st = seed_gpu_create(c->device, c->pool, c->set, &c->spec->scoring, &s->gpu);
#endif
    return st;
}

void search_seeds_destroy(search_seeds_t *s)
{
    if (s == NULL)
        return;
    for (int k = 0; s->filters != NULL && k < s->n_threads; k++)
        seed_filter_destroy(s->filters[k]);
    free(s->filters);
#ifdef RIBOGRID_HAVE_CUDA
    seed_gpu_destroy(s->gpu);
#endif
    buf_free(&s->rows);
    buf_free(&s->gpu_rows);
    buf_free(&s->fates);
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

#ifdef RIBOGRID_HAVE_CUDA
typedef struct {
    int64_t len; /* of the query */
    seed_row_t row;
} sorted_row_t;

static int longest_first(const void *a, const void *b)
{
    const sorted_row_t *x = a, *y = b;

    if (x->len != y->len)
        return x->len > y->len ? -1 : 1;
    return (x->row.first > y->row.first) - (x->row.first < y->row.first);
}

/* Let the GPU find the fates of all pairs. */
static status_t run_gpu(search_seeds_t *s)
{
    const row_t *rows = (const row_t *)(const void *)s->rows.data;
    const size_t n = s->rows.len / sizeof(*rows);
    sorted_row_t *sorted = malloc((n + 1) * sizeof(*sorted));
    size_t n_sorted = 0;
    status_t st = ST_OK;

    if (sorted == NULL)
        return log_nomem("a filter of seeds");
    for (size_t k = 0; k < n; k++) {
        const pair_t *first = s->batch->pairs + rows[k].first;

        if (rows[k].n > 0)
            sorted[n_sorted++] = (sorted_row_t){seqset_len(s->context->set, first->query),
                                                {first->query, first->target,
                                                 (int32_t)rows[k].n, rows[k].first}};
    }
    qsort(sorted, n_sorted, sizeof(*sorted), longest_first);
    s->gpu_rows.len = s->fates.len = 0;
    for (size_t k = 0; st == ST_OK && k < n_sorted; k++)
        st = buf_append(&s->gpu_rows, &sorted[k].row, sizeof(sorted[k].row));
    free(sorted);
    if (st != ST_OK || (st = buf_reserve(&s->fates, (size_t)s->batch->batch.n)) != ST_OK)
        return st;
    return seed_gpu_run(s->gpu, (const seed_row_t *)(const void *)s->gpu_rows.data,
                        (int64_t)n_sorted, s->batch->batch.n, s->fates.data);
}
#else
static status_t run_gpu(search_seeds_t *s)
{
    (void)s;
    return ST_OK;
}
#endif

/* Move the pairs of a row that pass to its front. */
static void filter_row(void *ctx, int64_t k, int thread)
{
    search_seeds_t *s = ctx;
    const seqset_t *set = s->context->set;
    row_t *row = (row_t *)(void *)s->rows.data + k;
    pair_t *pairs = s->batch->pairs + row->first;
    const uint8_t *fates = s->gpu != NULL ? s->fates.data + row->first : NULL;
    seed_filter_t *filter = s->filters[thread];
    bool is_set = false;

    if (row->n == 0 || align_cancelled(s->context->run.cancel))
        return;
    for (int64_t i = 0; i < row->n; i++) {
        bool passes = fates != NULL && fates[i] == SEED_PASSES;

        if (fates == NULL || fates[i] == SEED_UNKNOWN) {
            if (!is_set && seed_filter_set(filter, seqset_letters(set, pairs->query),
                                           seqset_len(set, pairs->query)) != ST_OK) {
                atomic_store(&s->has_failed, true);
                return;
            }
            is_set = true;
            passes = seed_filter_passes(filter, seqset_letters(set, pairs[i].target),
                                        seqset_len(set, pairs[i].target));
        }
        if (passes)
            pairs[row->n_left++] = pairs[i];
    }
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
    if (batch->batch.n == 0 || (st = list_rows(s)) != ST_OK ||
        (s->gpu != NULL && (st = run_gpu(s)) != ST_OK))
        return st;
    pool_run(s->context->pool, (int64_t)(s->rows.len / sizeof(row_t)), filter_row, s);
    if (atomic_load(&s->has_failed))
        return ST_ENOMEM;
    close_gaps(s);
    return ST_OK;
}
