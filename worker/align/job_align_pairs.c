/*
 * job_align_pairs.c - lists the pairs of a batch: all pairs of its tiles, or those that
 * the filters pass, a piece of the tiles at a time.
 */
#include "worker/align/job_align_pairs.h"

#include "io/base/logmsg.h"
#include "worker/align/job_align_memory.h"

#include <stdlib.h>
#include <string.h>

static int64_t tile_alignments(const job_align_t *j, int64_t task)
{
    tile_t tile = tile_at(&j->grid, task);

    return tile_pairs(&tile) * j->n_strands;
}

static status_t put_tiles(job_align_slot_t *s, const int64_t *tiles, int n)
{
    if (n > s->tiles_capacity) {
        s->tiles_capacity = 0;
        free(s->tiles);
        free(s->first_pair);
        free(s->dropped);
        s->tiles = malloc((size_t)n * sizeof(*s->tiles));
        s->first_pair = malloc((size_t)(n + 1) * sizeof(*s->first_pair));
        s->dropped = malloc((size_t)n * sizeof(*s->dropped));
        if (s->tiles == NULL || s->first_pair == NULL || s->dropped == NULL)
            return log_nomem("a batch");
        s->tiles_capacity = n;
    }
    s->n_tiles = n;
    memcpy(s->tiles, tiles, (size_t)n * sizeof(*tiles));
    return ST_OK;
}

/* Make room for n pairs in all; pairs that the batch has already stay. */
static status_t reserve(job_align_slot_t *s, int64_t n)
{
    int64_t capacity = s->batch.n > 0 ? n + n / 2 : n;
    pair_t *pairs;

    if (n <= s->pairs_capacity)
        return ST_OK;
    if (s->batch.n == 0) {
        free(s->pairs);
        s->pairs = NULL;
        s->pairs_capacity = 0;
    }
    if ((pairs = realloc(s->pairs, (size_t)capacity * sizeof(*pairs))) == NULL)
        return log_nomem("a batch's pairs");
    s->pairs = pairs;
    s->pairs_capacity = capacity;
    return ST_OK;
}

typedef struct {
    const job_align_t *job;
    job_align_slot_t *slot;
} tiles_t;

/* All pairs of a tile, row by row; of a pair, the forward strand of the query first. */
static void list_tile(void *ctx, int64_t k, int thread)
{
    const tiles_t *t = ctx;
    const job_align_t *j = t->job;
    tile_t tile = tile_at(&j->grid, t->slot->tiles[k]);
    pair_t *out = t->slot->pairs + t->slot->first_pair[k];

    (void)thread;
    for (int64_t row = tile.row0; row < tile.row1; row++)
        for (int64_t col = tile.col0 > row ? tile.col0 : row + 1; col < tile.col1; col++)
            for (int64_t strand = 0; strand < j->n_strands; strand++)
                *out++ = (pair_t){(int32_t)(row + strand * j->n_queries), (int32_t)col};
}

static status_t list_all(job_align_t *j, job_align_slot_t *slot)
{
    tiles_t tiles = {j, slot};
    int64_t n_pairs = 0;
    status_t st;

    for (int k = 0; k < slot->n_tiles; k++) {
        slot->first_pair[k] = n_pairs;
        n_pairs += tile_alignments(j, slot->tiles[k]);
        slot->dropped[k] = (job_align_dropped_t){{0}};
    }
    slot->first_pair[slot->n_tiles] = n_pairs;
    slot->batch.n = 0;
    if ((st = reserve(slot, n_pairs)) != ST_OK)
        return st;
    pool_run(j->base.pool, slot->n_tiles, list_tile, &tiles);
    slot->batch = (pair_batch_t){slot->pairs, n_pairs};
    return ST_OK;
}

/* A tile is one rectangle per strand. @return the end of the rectangles written */
static filter_rect_t *put_rects(const job_align_t *j, tile_t t, filter_rect_t *out)
{
    for (int strand = 0; strand < j->n_strands; strand++)
        *out++ = (filter_rect_t){t.row0 + strand * j->n_queries,
                                 t.row1 + strand * j->n_queries, t.col0, t.col1};
    return out;
}

static status_t make_rects(job_align_t *j, const job_align_slot_t *slot)
{
    int64_t n = (int64_t)slot->n_tiles * j->n_strands;
    filter_rect_t *out;

    if (n > j->rects_capacity) {
        free(j->rects);
        j->rects_capacity = 0;
        if ((j->rects = malloc((size_t)n * sizeof(*j->rects))) == NULL)
            return log_nomem("a batch's tiles");
        j->rects_capacity = n;
    }
    out = j->rects;
    for (int k = 0; k < slot->n_tiles; k++)
        out = put_rects(j, tile_at(&j->grid, slot->tiles[k]), out);
    return ST_OK;
}

static status_t begin_piece(job_align_t *j, const job_align_slot_t *slot,
                            job_align_pieces_t *p)
{
    int left = slot->n_tiles - p->n_begun;
    int n = left < j->piece_tiles ? left : j->piece_tiles;
    const filter_rect_t *rects = j->rects + (int64_t)p->n_begun * j->n_strands;

    p->n_begun += n;
    return pair_filter_submit(j->filter, rects, (int64_t)n * j->n_strands);
}

/* Start with the first piece, of piece_tiles tiles. */
static status_t begin_pieces(job_align_t *j, job_align_slot_t *slot,
                             job_align_pieces_t *p)
{
    *p = (job_align_pieces_t){.is_done = false};
    slot->batch.n = 0;
    return begin_piece(j, slot, p);
}

status_t job_align_pairs_list(job_align_t *j, const int64_t *tiles, int n,
                              job_align_slot_t *slot, job_align_pieces_t *pieces)
{
    status_t st = put_tiles(slot, tiles, n);

    if (st != ST_OK)
        return st;
    if (j->filter == NULL) {
        *pieces = (job_align_pieces_t){.is_done = true};
        return list_all(j, slot);
    }
    if (j->piece_tiles == 0)
        j->piece_tiles = job_align_piece_limit(j);
    st = make_rects(j, slot);
    return st == ST_OK ? begin_pieces(j, slot, pieces) : st;
}

status_t job_align_pairs_filter(job_align_t *j, const job_align_slot_t *slot,
                                job_align_pieces_t *p)
{
    status_t st = ST_OK;

    p->end = p->n_begun;
    if (p->end < slot->n_tiles)
        st = begin_piece(j, slot, p);
    if (st == ST_OK)
        st = pair_filter_wait(j->filter, &p->pairs, &p->start, &p->n_out);
    return st;
}

/* Wait for the piece after the current one, if it was begun, and ignore its pairs. */
static status_t drop_next_piece(job_align_t *j, const job_align_pieces_t *p)
{
    const pair_t *pairs;
    const int64_t *start;
    status_t st = ST_OK;

    if (p->n_begun > p->end)
        st = pair_filter_wait(j->filter, &pairs, &start, NULL);
    return st == ST_ESTOPPED ? ST_OK : st;
}

/* Order pairs of the two strands by row and column. */
static int compare(const job_align_t *j, const pair_t *forward, const pair_t *reverse)
{
    int64_t row = reverse->query - j->n_queries;

    if (forward->query != row)
        return forward->query < row ? -1 : 1;
    return (forward->target > reverse->target) - (forward->target < reverse->target);
}

/* Where one strand may reach the identity, the other has to be aligned, too: if it has
 * the better score, it is the one that counts. @return the end of the pairs written */
static pair_t *merge_strands(const job_align_t *j, const pair_t *forward,
                             const pair_t *forward_end, const pair_t *reverse,
                             const pair_t *reverse_end, pair_t *out)
{
    while (forward < forward_end || reverse < reverse_end) {
        int order = forward == forward_end   ? 1
                    : reverse == reverse_end ? -1
                                             : compare(j, forward, reverse);
        pair_t first = order <= 0 ? *forward : *reverse;

        if (order > 0)
            first.query -= (int32_t)j->n_queries;
        *out++ = first;
        *out++ = (pair_t){first.query + (int32_t)j->n_queries, first.target};
        forward += order <= 0;
        reverse += order >= 0;
    }
    return out;
}

/* Append the pairs that passed of n tiles from `first` on: the filter reuses its buffer.
 */
static status_t append_passed(job_align_t *j, job_align_slot_t *slot, int first, int n,
                              const pair_t *pairs, const int64_t *start)
{
    int step = j->n_strands;
    pair_t *out;
    status_t st = reserve(slot, slot->batch.n + step * start[(int64_t)n * step] + 1);

    if (st != ST_OK)
        return st;
    out = slot->pairs + slot->batch.n;
    for (int k = 0; k < n; k++) {
        const int64_t *of = start + (int64_t)k * step;

        slot->first_pair[first + k] = out - slot->pairs;
        if (step == 2) {
            out = merge_strands(j, pairs + of[0], pairs + of[1], pairs + of[1],
                                pairs + of[2], out);
        } else if (of[1] > of[0]) {
            memcpy(out, pairs + of[0], (size_t)(of[1] - of[0]) * sizeof(*out));
            out += of[1] - of[0];
        }
    }
    slot->first_pair[first + n] = out - slot->pairs;
    slot->batch = (pair_batch_t){slot->pairs, out - slot->pairs};
    return ST_OK;
}

/* Distribute the counts of a batch over its tiles, whose records are stored one by one.
 * How many pairs a tile lacks is exact.  Which stage ruled them out is exact for the
 * batch as a whole if there is one strand; of two, one may be aligned because of the
 * other although a stage has ruled it out. */
static void distribute_counts(const job_align_t *j, job_align_slot_t *slot,
                              const int64_t *n_dropped)
{
    int64_t left[JOB_ALIGN_STAGES];

    memcpy(left, n_dropped, sizeof(left));
    for (int k = 0; k < slot->n_tiles; k++) {
        int64_t n = tile_alignments(j, slot->tiles[k]) -
                    (slot->first_pair[k + 1] - slot->first_pair[k]);

        slot->dropped[k] = (job_align_dropped_t){{0}};
        for (int stage = 0; stage < JOB_ALIGN_STAGES; stage++) {
            int64_t take = n < left[stage] ? n : left[stage];

            slot->dropped[k].n[stage] = take;
            left[stage] -= take;
            n -= take;
        }
    }
}

/* The batch is the tiles taken so far. */
static void end_pieces(const job_align_t *j, job_align_slot_t *slot,
                       job_align_pieces_t *p)
{
    slot->n_tiles = p->first;
    distribute_counts(j, slot, p->n_dropped);
    p->is_done = true;
}

/* The current piece has too many pairs for what is left of the batch. */
static status_t refuse_piece(job_align_t *j, job_align_slot_t *slot,
                             job_align_pieces_t *p)
{
    status_t st = drop_next_piece(j, p);

    j->piece_tiles = j->piece_tiles > 1 ? j->piece_tiles / 2 : 1;
    if (st != ST_OK)
        return st;
    if (p->first == 0)
        return begin_pieces(j, slot, p);
    end_pieces(j, slot, p);
    return ST_OK;
}

status_t job_align_pairs_take(job_align_t *j, job_align_slot_t *slot,
                              job_align_pieces_t *p)
{
    const int64_t n_out[JOB_ALIGN_STAGES] = {p->n_out.n_by_length, p->n_out.n_by_kmers,
                                             p->n_out.n_by_overlap, p->n_by_edits};
    int n = p->end - p->first, max_tiles = job_align_piece_limit(j);
    int64_t n_passed = p->start[(int64_t)n * j->n_strands];
    bool is_one_tile = p->first == 0 && n == 1; /* which is always taken */
    status_t st;

    if (!is_one_tile &&
        slot->batch.n + j->n_strands * n_passed > job_align_batch_pairs(j))
        return refuse_piece(j, slot, p);
    for (int stage = 0; stage < JOB_ALIGN_STAGES; stage++)
        p->n_dropped[stage] += n_out[stage];
    if ((st = append_passed(j, slot, p->first, n, p->pairs, p->start)) != ST_OK)
        return st;
    p->first = p->end;
    if (p->first == slot->n_tiles) {
        end_pieces(j, slot, p);
        j->piece_tiles = 2 * j->piece_tiles < max_tiles ? 2 * j->piece_tiles : max_tiles;
    }
    return ST_OK;
}

status_t job_align_pairs_drop(job_align_t *j, job_align_slot_t *slot,
                              const job_align_pieces_t *pieces)
{
    for (int k = 0; k < slot->n_tiles; k++)
        slot->dropped[k] = (job_align_dropped_t){{0}};
    memset(slot->first_pair, 0, (size_t)(slot->n_tiles + 1) * sizeof(*slot->first_pair));
    slot->batch = (pair_batch_t){slot->pairs, 0};
    return drop_next_piece(j, pieces);
}

status_t job_align_pairs_of_rect(job_align_t *j, tile_t rect, job_align_slot_t *slot)
{
    const pair_t *pairs;
    const int64_t *start;
    filter_rect_t rects[2];
    int64_t n = put_rects(j, rect, rects) - rects;
    status_t st;

    slot->n_tiles = 1;
    slot->batch.n = 0;
    if ((st = pair_filter_submit(j->filter, rects, n)) != ST_OK ||
        (st = pair_filter_wait(j->filter, &pairs, &start, NULL)) != ST_OK)
        return st;
    return append_passed(j, slot, 0, 1, pairs, start);
}
