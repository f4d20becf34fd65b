/*
 * search_list.c - lists the pairs of a batch of tiles: all of them, or those that the
 * filters pass, a piece of the tiles at a time.
 */
#include "io/base/logmsg.h"
#include "kernels/align/search/search_state.h"

#include <stdlib.h>
#include <string.h>

static status_t make_rects(search_t *s, const search_batch_t *b)
{
    int64_t n = (int64_t)b->n_tiles * s->context.n_strands;
    filter_rect_t *out;

    if (n > s->rects_capacity) {
        free(s->rects);
        s->rects_capacity = 0;
        if ((s->rects = malloc((size_t)n * sizeof(*s->rects))) == NULL)
            return log_nomem("a batch's tiles");
        s->rects_capacity = n;
    }
    out = s->rects;
    for (int k = 0; k < b->n_tiles; k++)
        out = search_batch_rects(&s->context, b->tiles[k], out);
    return ST_OK;
}

/* The tiles of a batch on their way through the filters, some tiles at a time.  While one
 * piece is taken into the batch, the filter works on the next. */
typedef struct {
    search_t *search;
    search_batch_t *batch;
    search_limits_t limits;
    bool by_edits, is_done;
    int first, end;         /* the current piece: tiles first .. end-1 of the batch */
    int n_begun;            /* tiles given to the filter so far, at least `end` */
    search_passed_t passed; /* of the current piece */
    int64_t n_out[SEARCH_STAGES];     /* ruled out of the current piece */
    int64_t n_dropped[SEARCH_STAGES]; /* of all pieces taken */
} pieces_t;

static status_t begin_piece(pieces_t *p)
{
    search_t *s = p->search;
    const int strands = s->context.n_strands;
    int left = p->batch->n_tiles - p->n_begun;
    int n = left < s->piece_tiles ? left : s->piece_tiles;
    const filter_rect_t *rects = s->rects + (int64_t)p->n_begun * strands;

    p->n_begun += n;
    return pair_filter_submit(s->filter, rects, (int64_t)n * strands);
}

/* Start with the first piece, of piece_tiles tiles. */
static status_t begin_pieces(pieces_t *p)
{
    p->first = p->end = p->n_begun = 0;
    memset(p->n_dropped, 0, sizeof(p->n_dropped));
    p->batch->batch.n = 0;
    return begin_piece(p);
}

/* Have the filters rule out pairs of the current piece, and start on the next one. */
static status_t filter_piece(pieces_t *p)
{
    search_t *s = p->search;
    filter_counts_t counts;
    int64_t n_rects;
    status_t st = ST_OK;

    p->end = p->n_begun;
    n_rects = (int64_t)(p->end - p->first) * s->context.n_strands;
    if (p->end < p->batch->n_tiles)
        st = begin_piece(p);
    if (st != ST_OK || (st = pair_filter_wait(s->filter, &p->passed.pairs,
                                              &p->passed.start, &counts)) != ST_OK)
        return st;
    p->n_out[0] = counts.n_by_length;
    p->n_out[1] = counts.n_by_kmers;
    p->n_out[2] = counts.n_by_overlap;
    p->n_out[3] = 0;
    return p->by_edits ? search_edits_run(s, n_rects, &p->passed, &p->n_out[3]) : ST_OK;
}

/* Wait for the piece after the current one, if it was begun, and ignore its pairs. */
static status_t drop_next_piece(const pieces_t *p)
{
    search_passed_t passed;
    status_t st = ST_OK;

    if (p->n_begun > p->end)
        st = pair_filter_wait(p->search->filter, &passed.pairs, &passed.start, NULL);
    return st == ST_ESTOPPED ? ST_OK : st;
}

/* Distribute the counts of a batch over its tiles, whose records are stored one by one.
 * How many pairs a tile lacks is exact.  Which stage ruled them out is exact for the
 * batch as a whole if there is one strand; of two, one may be aligned because of the
 * other although a stage has ruled it out. */
static void distribute_counts(const pieces_t *p)
{
    search_batch_t *b = p->batch;
    int64_t left[SEARCH_STAGES];

    memcpy(left, p->n_dropped, sizeof(left));
    for (int k = 0; k < b->n_tiles; k++) {
        int64_t n = tile_pairs(&b->tiles[k]) * p->search->context.n_strands -
                    (b->first_pair[k + 1] - b->first_pair[k]);

        b->dropped[k] = (search_dropped_t){{0}};
        for (int stage = 0; stage < SEARCH_STAGES; stage++) {
            int64_t take = n < left[stage] ? n : left[stage];

            b->dropped[k].n[stage] = take;
            left[stage] -= take;
            n -= take;
        }
    }
}

/* The batch is the tiles taken so far. */
static void end_pieces(pieces_t *p)
{
    p->batch->n_tiles = p->first;
    distribute_counts(p);
    p->is_done = true;
}

/* The current piece has too many pairs for what is left of the batch: this ends before
 * it, or is begun again with smaller pieces. */
static status_t refuse_piece(pieces_t *p)
{
    search_t *s = p->search;
    status_t st = drop_next_piece(p);

    s->piece_tiles = s->piece_tiles > 1 ? s->piece_tiles / 2 : 1;
    if (st != ST_OK)
        return st;
    if (p->first == 0)
        return begin_pieces(p);
    end_pieces(p);
    return ST_OK;
}

/* Append what is left of the current piece to the batch. */
static status_t take_piece(pieces_t *p)
{
    search_t *s = p->search;
    const int strands = s->context.n_strands, max_tiles = p->limits.piece_tiles;
    int n = p->end - p->first;
    int64_t n_passed = p->passed.start[(int64_t)n * strands];
    bool is_one_tile = p->first == 0 && n == 1; /* which is always taken */
    status_t st;

    if (!is_one_tile && p->batch->batch.n + strands * n_passed > p->limits.pairs)
        return refuse_piece(p);
    for (int stage = 0; stage < SEARCH_STAGES; stage++)
        p->n_dropped[stage] += p->n_out[stage];
    if ((st = search_batch_append(s, p->batch, p->first, n, p->passed)) != ST_OK)
        return st;
    p->first = p->end;
    if (p->first == p->batch->n_tiles) {
        end_pieces(p);
        s->piece_tiles = 2 * s->piece_tiles < max_tiles ? 2 * s->piece_tiles : max_tiles;
    }
    return ST_OK;
}

/* Once the run is cancelled: leave the batch without pairs and the filter without work.
 */
static status_t drop_all(const pieces_t *p)
{
    search_batch_t *b = p->batch;

    for (int k = 0; k < b->n_tiles; k++)
        b->dropped[k] = (search_dropped_t){{0}};
    memset(b->first_pair, 0, (size_t)(b->n_tiles + 1) * sizeof(*b->first_pair));
    b->batch = (pair_batch_t){b->pairs, 0};
    return drop_next_piece(p);
}

static status_t list_passed(pieces_t *p)
{
    status_t st = make_rects(p->search, p->batch);

    if (p->search->piece_tiles == 0)
        p->search->piece_tiles = p->limits.piece_tiles;
    if (st == ST_OK)
        st = begin_pieces(p);
    while (st == ST_OK && !p->is_done)
        if ((st = filter_piece(p)) == ST_OK)
            st = take_piece(p);
    return st == ST_ESTOPPED ? drop_all(p) : st;
}

/* Bounds -> list -> k-mer filter -> edit filter.  Bounds are found here rather than in
 * create, because a batch can be cancelled. */
status_t search_list(search_t *s, const tile_t *tiles, int n, search_limits_t limits,
                     bool by_edits, search_batch_t *out)
{
    pieces_t pieces = {.search = s, .batch = out, .limits = limits, .by_edits = by_edits};
    status_t st = search_bounds_find(s, limits.pairs);

    if (st != ST_OK || (st = search_batch_put(out, tiles, n)) != ST_OK)
        return st;
    if (s->context.centroid_order != NULL) {
        st = search_centroids_list(s, limits, out);
        return st == ST_ESTOPPED ? drop_all(&pieces) : st;
    }
    if (s->scores.aligner != NULL) {
        st = search_scores_list(s, limits, out);
        return st == ST_ESTOPPED ? drop_all(&pieces) : st;
    }
    return s->filter == NULL ? search_batch_put_all(s, out) : list_passed(&pieces);
}
