/*
 * job_align_pairs.c - the job "align" on a worker: which pairs of its tiles are aligned;
 * all, or those that a filter cannot rule out.
 */
#include "io/base/logmsg.h"
#include "worker/align/job_align_state.h"

#include <stdlib.h>
#include <string.h>

int64_t job_align_tile_pairs(const job_align_t *j, int64_t task)
{
    tile_t tile = tile_at(&j->grid, task);

    return tile_pairs(&tile) * j->n_strands;
}

/* Room for n pairs in all, with the batch's, if it has some, where they are. */
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

/* The filter looks at so many pairs in one go: enough for a GPU.  A pair that passes
 * takes so much, and those of two pieces a quarter of the memory (job_align_batch.c). */
enum { PIECE_PAIRS = 1 << 28, PIECE_HOST_BYTES = 4 * 25, PIECE_DEVICE_BYTES = 4 * 16 };

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

/* All pairs of the slot's tiles. */
static status_t list_all(job_align_t *j, job_align_slot_t *slot)
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
    slot->batch.n = 0;
    if ((st = reserve(slot, n_pairs)) != ST_OK)
        return st;
    pool_run(j->pool, slot->n_tiles, list_tile, &tiles);
    slot->batch = (pair_batch_t){slot->pairs, n_pairs};
    return ST_OK;
}

/* A tile is a rectangle for each strand. @return behind the last */
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

/* Which of two pairs comes first, by row and column, whatever their strands. */
static int compare(const job_align_t *j, const pair_t *plain, const pair_t *turned)
{
    int64_t row = turned->query - j->n_queries;

    if (plain->query != row)
        return plain->query < row ? -1 : 1;
    return (plain->target > turned->target) - (plain->target < turned->target);
}

/* Where one strand may reach the identity, the other must be looked at, too: it may have
 * the better score, and then it counts. @return behind the last pair written */
static pair_t *merge_strands(const job_align_t *j, const pair_t *plain,
                             const pair_t *plain_end, const pair_t *turned,
                             const pair_t *turned_end, pair_t *out)
{
    while (plain < plain_end || turned < turned_end) {
        int order = plain == plain_end     ? 1
                    : turned == turned_end ? -1
                                           : compare(j, plain, turned);
        pair_t first = order <= 0 ? *plain : *turned;

        if (order > 0)
            first.query -= (int32_t)j->n_queries;
        *out++ = first;
        *out++ = (pair_t){first.query + (int32_t)j->n_queries, first.target};
        plain += order <= 0;
        turned += order >= 0;
    }
    return out;
}

/* Copy what passed of n tiles from `first` on, which is the filter's until its next
 * batch, behind what has passed of those before. */
static status_t take_passed(job_align_t *j, job_align_slot_t *slot, int first, int n,
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

/* A batch's counts are dealt out to its tiles, which are stored one by one: what a tile
 * lacks is exact, by which stage is so for the batch as a whole. */
static void deal_counts(const job_align_t *j, job_align_slot_t *slot,
                        const filter_counts_t *counts, int64_t n_by_edits)
{
    int64_t left[JOB_ALIGN_STAGES] = {counts->n_by_length, counts->n_by_kmers,
                                      counts->n_by_overlap, n_by_edits};

    for (int k = 0; k < slot->n_tiles; k++) {
        int64_t n = job_align_tile_pairs(j, slot->tiles[k]) -
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

/* Once the run is cancelled nothing counts any more. */
static void list_none(job_align_slot_t *slot)
{
    for (int k = 0; k < slot->n_tiles; k++)
        slot->dropped[k] = (job_align_dropped_t){{0}};
    memset(slot->first_pair, 0, (size_t)(slot->n_tiles + 1) * sizeof(*slot->first_pair));
    slot->batch = (pair_batch_t){slot->pairs, 0};
}

/* What the filter lists of a batch, a piece of its tiles after the other: should all
 * pairs of two pieces pass, they do not take more than their part of the memory.  While a
 * piece is taken the next one is under way. */
typedef struct {
    int first, begun; /* tiles taken, and given to the filter */
    bool is_full;     /* the next piece has more pairs than there is room for */
    filter_counts_t counts;
    int64_t n_by_edits;
} pieces_t;

static int max_tiles(const job_align_t *j)
{
    int64_t tile = j->grid.side * j->grid.side * j->n_strands;
    int64_t host = j->opts->batch_bytes / PIECE_HOST_BYTES / tile;
    int64_t device = j->device_bytes / PIECE_DEVICE_BYTES / tile;
    int64_t n = host < device ? host : device;

    return n < 1                        ? 1
           : n > PIECE_PAIRS / tile + 1 ? (int)(PIECE_PAIRS / tile + 1)
                                        : (int)n;
}

static status_t begin_piece(job_align_t *j, const job_align_slot_t *slot, pieces_t *p)
{
    int left = slot->n_tiles - p->begun;
    int n = left < j->piece_tiles ? left : j->piece_tiles;
    const filter_rect_t *rects = j->rects + (int64_t)p->begun * j->n_strands;

    p->begun += n;
    return pair_filter_submit(j->filter, rects, (int64_t)n * j->n_strands);
}

/* Take what passed of the tiles up to `end`. */
static status_t take_piece(job_align_t *j, job_align_slot_t *slot, int end, pieces_t *p)
{
    int n = end - p->first, step = j->n_strands;
    int64_t n_rects = (int64_t)n * step, n_by_edits;
    const pair_t *pairs;
    const int64_t *start;
    filter_counts_t counts;
    status_t st = pair_filter_wait(j->filter, &pairs, &start, &counts);

    if (st == ST_OK)
        st = job_align_edits_run(j, n_rects, &pairs, &start, &n_by_edits);
    if (st != ST_OK)
        return st;
    if ((p->first > 0 || n > 1) &&
        slot->batch.n + step * start[n_rects] > job_align_batch_pairs(j)) {
        p->is_full = true;
        return ST_OK;
    }
    p->counts.n_by_length += counts.n_by_length;
    p->counts.n_by_kmers += counts.n_by_kmers;
    p->counts.n_by_overlap += counts.n_by_overlap;
    p->n_by_edits += n_by_edits;
    st = take_passed(j, slot, p->first, n, pairs, start);
    p->first = end;
    return st;
}

/* Take pieces while there is room, and leave none under way. */
static status_t take_pieces(job_align_t *j, job_align_slot_t *slot, pieces_t *p)
{
    const pair_t *pairs;
    const int64_t *start;
    status_t st = begin_piece(j, slot, p);

    slot->batch.n = 0;
    while (st == ST_OK && p->first < slot->n_tiles && !p->is_full) {
        int end = p->begun;
        bool is_last = end == slot->n_tiles;

        if (!is_last)
            st = begin_piece(j, slot, p);
        if (st == ST_OK)
            st = take_piece(j, slot, end, p);
        if (!is_last && (st == ST_ESTOPPED || (st == ST_OK && p->is_full))) {
            status_t other = pair_filter_wait(j->filter, &pairs, &start, NULL);

            st = other != ST_OK ? other : st;
        }
    }
    return st;
}

static status_t list_passed(job_align_t *j, job_align_slot_t *slot)
{
    int most = max_tiles(j);
    pieces_t p = {.is_full = true};
    status_t st = make_rects(j, slot);

    if (j->piece_tiles == 0)
        j->piece_tiles = most;
    while (st == ST_OK && p.first == 0 && p.is_full) {
        p = (pieces_t){.first = 0};
        st = take_pieces(j, slot, &p);
        if (st == ST_OK && p.is_full)
            j->piece_tiles = j->piece_tiles > 1 ? j->piece_tiles / 2 : 1;
    }
    if (st == ST_ESTOPPED) {
        list_none(slot);
        return ST_OK;
    }
    if (st != ST_OK)
        return st;
    if (!p.is_full && j->piece_tiles < most)
        j->piece_tiles = 2 * j->piece_tiles < most ? 2 * j->piece_tiles : most;
    slot->n_tiles = p.first;
    deal_counts(j, slot, &p.counts, p.n_by_edits);
    return ST_OK;
}

status_t job_align_list_rect(job_align_t *j, tile_t rect, job_align_slot_t *slot)
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
    return take_passed(j, slot, 0, 1, pairs, start);
}

const char *const job_align_stages[JOB_ALIGN_STAGES] = {"length", "grams", "overlap",
                                                        "edits"};

/* @param out  the spec that a filter must hold for */
static bool may_filter(const job_align_t *j, align_spec_t *out)
{
    return j->is_sparse && job_align_identity_filtered(j, out) &&
           (j->opts->min_identity.numerator > 0 || job_align_top_wanted(j, out));
}

bool job_align_may_filter(const job_align_t *j)
{
    align_spec_t spec;

    return may_filter(j, &spec);
}

/* Where no filter is proved though one were of use. */
static void say_none(const job_align_t *j)
{
    if (j->is_sparse && (j->opts->min_identity.numerator > 0 || j->opts->top > 0) &&
        !job_align_identity_filtered(j, &(align_spec_t){0}))
        log_verbose("no filter is proved for --iddef %s with %s: every pair is aligned",
                    identity_def_name[j->identity.def],
                    j->identity.count_ends ? "counted ends" : "free ends");
}

status_t job_align_filter_prepare(job_align_t *j, const device_t *device)
{
    const fraction_t *id = &j->opts->min_identity;
    fraction_t part = {id->numerator, id->denominator > 0 ? id->denominator : 1};
    filter_shape_t shape = {.triangle = j->opts->against == NULL, .n_rows = j->col_first};
    align_context_t context = {device, j->pool, j->set, &j->filter_spec, j->run};
    status_t st;

    if (!may_filter(j, &j->filter_spec)) {
        say_none(j);
        return ST_OK;
    }
    shape.per_row_identity = job_align_top_wanted(j, &j->filter_spec);
    if (shape.per_row_identity &&
        (st = job_align_top_prepare(j, device, shape, &part)) != ST_OK)
        return st;
    shape.per_row_identity = j->n_top_levels > 0;
    if (part.numerator == 0) /* nothing is asked for, nor does a search help */
        return ST_OK;
    st = pair_filter_create(&context, part, shape, &j->filter);
    if (st == ST_OK && id->numerator > 0) /* rows that ask on their own ask no less */
        st = job_align_edits_prepare(j, device);
    return st;
}

status_t job_align_list_pairs(job_align_t *j, job_align_slot_t *slot)
{
    return j->filter != NULL ? list_passed(j, slot) : list_all(j, slot);
}

void job_align_filter_free(job_align_t *j)
{
    job_align_edits_free(j);
    pair_filter_destroy(j->filter);
    j->filter = NULL;
    free(j->rects);
    j->rects = NULL;
    j->rects_capacity = 0;
    j->piece_tiles = j->n_top_levels = 0;
}
