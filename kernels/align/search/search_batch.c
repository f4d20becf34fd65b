/*
 * search_batch.c - tiles and their pairs: all of them, or those that filters have passed.
 */
#include "io/base/buf.h"
#include "io/base/logmsg.h"
#include "kernels/align/search/search_state.h"

#include <stdlib.h>
#include <string.h>

status_t search_batch_put(search_batch_t *b, const tile_t *tiles, int n)
{
    if (n > b->tiles_capacity) {
        b->tiles_capacity = 0;
        free(b->tiles);
        free(b->first_pair);
        free(b->dropped);
        b->tiles = malloc((size_t)n * sizeof(*b->tiles));
        b->first_pair = malloc((size_t)(n + 1) * sizeof(*b->first_pair));
        b->dropped = malloc((size_t)n * sizeof(*b->dropped));
        if (b->tiles == NULL || b->first_pair == NULL || b->dropped == NULL)
            return log_nomem("a batch");
        b->tiles_capacity = n;
    }
    b->n_tiles = n;
    b->batch.n = 0;
    memcpy(b->tiles, tiles, (size_t)n * sizeof(*tiles));
    return ST_OK;
}

void search_batch_free(search_batch_t *b)
{
    free(b->tiles);
    free(b->first_pair);
    free(b->dropped);
    free(b->pairs);
    *b = (search_batch_t){0};
}

status_t search_batch_reserve(search_batch_t *b, int64_t n)
{
    int64_t capacity = b->batch.n > 0 ? n + n / 2 : n;
    pair_t *pairs;

    if (n <= b->pairs_capacity)
        return ST_OK;
    if (b->batch.n == 0) {
        free(b->pairs);
        b->pairs = NULL;
        b->pairs_capacity = 0;
    }
    if ((pairs = realloc(b->pairs, (size_t)capacity * sizeof(*pairs))) == NULL)
        return log_nomem("a batch's pairs");
    buf_want_large_pages(pairs, (size_t)capacity * sizeof(*pairs));
    b->pairs = pairs;
    b->pairs_capacity = capacity;
    return ST_OK;
}

/* ---- all pairs ---- */

typedef struct {
    const search_context_t *context;
    search_batch_t *batch;
} whole_t;

static void list_tile(void *ctx, int64_t k, int thread)
{
    const whole_t *w = ctx;
    const search_context_t *c = w->context;
    const tile_t tile = w->batch->tiles[k];
    pair_t *out = w->batch->pairs + w->batch->first_pair[k];

    (void)thread;
    for (int64_t row = tile.row0; row < tile.row1; row++)
        for (int64_t col = tile.col0 > row ? tile.col0 : row + 1; col < tile.col1; col++)
            for (int64_t strand = 0; strand < c->n_strands; strand++)
                *out++ = (pair_t){(int32_t)(row + strand * c->n_queries), (int32_t)col};
}

status_t search_batch_put_all(search_t *s, search_batch_t *b)
{
    whole_t whole = {&s->context, b};
    int64_t n_pairs = 0;
    status_t st;

    for (int k = 0; k < b->n_tiles; k++) {
        b->first_pair[k] = n_pairs;
        n_pairs += tile_pairs(&b->tiles[k]) * s->context.n_strands;
        b->dropped[k] = (search_dropped_t){{0}};
    }
    b->first_pair[b->n_tiles] = n_pairs;
    if ((st = search_batch_reserve(b, n_pairs)) != ST_OK)
        return st;
    if (n_pairs > 0) /* else there may be no array */
        pool_run(s->context.pool, b->n_tiles, list_tile, &whole);
    b->batch = (pair_batch_t){b->pairs, n_pairs};
    return ST_OK;
}

/* ---- pairs that pass ---- */

filter_rect_t *search_batch_rects(const search_context_t *c, tile_t t, filter_rect_t *out)
{
    for (int strand = 0; strand < c->n_strands; strand++)
        *out++ = (filter_rect_t){t.row0 + strand * c->n_queries,
                                 t.row1 + strand * c->n_queries, t.col0, t.col1};
    return out;
}

/* Order pairs of the two strands by row and column. */
static int compare(const search_context_t *c, const pair_t *forward,
                   const pair_t *reverse)
{
    int64_t row = reverse->query - c->n_queries;

    if (forward->query != row)
        return forward->query < row ? -1 : 1;
    return (forward->target > reverse->target) - (forward->target < reverse->target);
}

/* Where one strand may reach the identity, the other has to be aligned, too: if it has
 * the better score, it is the one that counts. @return the end of the pairs written */
static pair_t *merge_strands(const search_context_t *c, const pair_t *forward,
                             const pair_t *forward_end, const pair_t *reverse,
                             const pair_t *reverse_end, pair_t *out)
{
    while (forward < forward_end || reverse < reverse_end) {
        int order = forward == forward_end   ? 1
                    : reverse == reverse_end ? -1
                                             : compare(c, forward, reverse);
        pair_t first = order <= 0 ? *forward : *reverse;

        if (order > 0)
            first.query -= (int32_t)c->n_queries;
        *out++ = first;
        *out++ = (pair_t){first.query + (int32_t)c->n_queries, first.target};
        forward += order <= 0;
        reverse += order >= 0;
    }
    return out;
}

status_t search_batch_append(search_t *s, search_batch_t *b, int first, int n,
                             search_passed_t passed)
{
    int step = s->context.n_strands;
    pair_t *out;
    status_t st =
        search_batch_reserve(b, b->batch.n + step * passed.start[(int64_t)n * step] + 1);

    if (st != ST_OK)
        return st;
    out = b->pairs + b->batch.n;
    for (int k = 0; k < n; k++) {
        const int64_t *of = passed.start + (int64_t)k * step;
        const pair_t *pairs = passed.pairs;

        b->first_pair[first + k] = out - b->pairs;
        if (of[step] == of[0])
            continue; /* there may be no array */
        if (step == 2) {
            out = merge_strands(&s->context, pairs + of[0], pairs + of[1], pairs + of[1],
                                pairs + of[2], out);
        } else {
            memcpy(out, pairs + of[0], (size_t)(of[1] - of[0]) * sizeof(*out));
            out += of[1] - of[0];
        }
    }
    b->first_pair[first + n] = out - b->pairs;
    b->batch = (pair_batch_t){b->pairs, out - b->pairs};
    return ST_OK;
}

status_t search_batch_put_tile(search_t *s, tile_t tile, search_batch_t *b)
{
    filter_rect_t rects[2];
    search_passed_t passed;
    int64_t n = search_batch_rects(&s->context, tile, rects) - rects;
    status_t st;

    if ((st = search_batch_put(b, &tile, 1)) != ST_OK ||
        (st = pair_filter_submit(s->filter, rects, n)) != ST_OK ||
        (st = pair_filter_wait(s->filter, &passed.pairs, &passed.start, NULL)) != ST_OK)
        return st;
    return search_batch_append(s, b, 0, 1, passed);
}
