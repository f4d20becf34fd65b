/*
 * pairs_record.c - whether a log's record can be one of a tile.
 */
#include "io/pairs/write/pairs_write.h"

#include "io/pairs/write/pairs_cigar_pack.h"
#include "io/pairs/write/pairs_hits.h"
#include "io/seq/cigar.h"
#include "io/store/tile_pack.h"

#include <stdlib.h>
#include <string.h>

static const char no_memory[] = "cannot be checked: there is not enough memory";
static const char bad_length[] = "has not the length of its parts";
static const char bad_chunk[] = "has a chunk that does not hold its tile";
static const char bad_numbers[] = "has numbers that its sequences cannot have";
static const char bad_cigar[] = "has a CIGAR that does not fit its sequences";
static const char bad_counts[] = "counts more pairs than its tile has";

typedef struct {
    const pairs_record_job_t *job;
    tile_t tile;
    int64_t n_pairs;
} place_t;

/* @return whether a pair's numbers are possible, as in pairs_check.c */
static bool numbers_fit(const pairs_record_job_t *j, const pairs_hit_t *h)
{
    const int64_t m = seqset_len(j->set, h->row), n = seqset_len(j->set, h->col);

    if (h->score < j->min_score || h->score > j->max_score)
        return false;
    return h->matches >= 0 && h->matches <= h->columns && h->columns <= m + n &&
           (j->counts_bases || (h->matches <= m && h->matches <= n));
}

/* @return whether a text is a CIGAR of a pair */
static bool cigar_fits(const pairs_record_job_t *j, const pairs_hit_t *h,
                       const char *text, int64_t len)
{
    const char *end = text + len;
    int64_t query = 0, target = 0;

    while (text < end) {
        uint32_t run;

        if ((text = cigar_next_run(text, end, &run)) == NULL)
            return false;
        query += cigar_run_op(run) != CIGAR_D ? cigar_run_len(run) : 0;
        target += cigar_run_op(run) != CIGAR_I ? cigar_run_len(run) : 0;
    }
    return query == seqset_len(j->set, h->row) && target == seqset_len(j->set, h->col);
}

/* ---- matrices ---- */

/* The arrays of a tile. */
typedef struct {
    int32_t *values[PAIRS_DATASETS_MAX]; /* [cells] */
    int32_t *shuffled;                   /* [cells] */
    buf_t text;                          /* of CIGARs, padded to whole chunks */
} cells_t;

static bool has_cigars(const pairs_record_job_t *j)
{
    return j->n_datasets == PAIRS_N_CIGAR;
}

static bool is_filled(const cells_t *c, int n_datasets, int64_t at)
{
    bool good = true;

    for (int d = 0; d < n_datasets; d++)
        good = good && c->values[d][at] == pairs_fill[d];
    return good;
}

/* Check row by row: the texts follow each other in this order. */
static const char *check_cells(const place_t *p, const cells_t *c)
{
    const pairs_record_job_t *j = p->job;
    const int64_t side = j->grid->side;
    size_t text_at = 0;

    for (int64_t at = 0; at < side * side; at++) {
        const int64_t row = p->tile.row0 + at / side, col = p->tile.col0 + at % side;
        pairs_hit_t h = {.row = (int32_t)row, .col = (int32_t)col};
        int64_t text_len = has_cigars(j) ? c->values[PAIRS_CIGAR_LENGTH][at] : 0;

        if (row >= p->tile.row1 || col >= p->tile.col1 || row >= col) {
            if (!is_filled(c, j->n_datasets, at))
                return "has values where its tile has no pair";
            continue;
        }
        h.score = c->values[PAIRS_SCORE][at];
        h.matches = j->n_datasets > 1 ? c->values[PAIRS_MATCHES][at] : 0;
        h.columns = j->n_datasets > 1 ? c->values[PAIRS_COLUMNS][at] : 0;
        if (!numbers_fit(j, &h))
            return bad_numbers;
        if (text_len < 0 || (size_t)text_len > c->text.len - text_at ||
            (text_len > 0 &&
             !cigar_fits(j, &h, (const char *)c->text.data + text_at, text_len)))
            return bad_cigar;
        text_at += (size_t)text_len;
    }
    if (c->text.len - text_at >= (size_t)pairs_cigar_chunk(j->grid))
        return bad_cigar;
    return NULL;
}

/* Read the chunks of text. @param at  where they are */
static const char *read_text(const place_t *p, const buf_t *record, size_t *at,
                             buf_t *out)
{
    const size_t chunk = (size_t)pairs_cigar_chunk(p->job->grid);
    uint32_t n_chunks, len;

    if (record->len - *at < sizeof(n_chunks))
        return bad_length;
    memcpy(&n_chunks, record->data + *at, sizeof(n_chunks));
    *at += sizeof(n_chunks);
    for (; n_chunks > 0; n_chunks--) {
        const unsigned char *in = tile_pack_next(record, at, &len);

        if (in == NULL)
            return bad_length;
        if (buf_reserve(out, chunk) != ST_OK)
            return no_memory;
        if (!deflate_undo(in, len, out->data + out->len, chunk))
            return bad_chunk;
        out->len += chunk;
    }
    return NULL;
}

static const char *read_cells(const place_t *p, const buf_t *record, cells_t *c)
{
    const int64_t n = p->job->grid->side * p->job->grid->side;
    const char *why = NULL;
    int64_t n_without;
    size_t at = sizeof(n_without);
    uint32_t len;

    if (record->len < at)
        return bad_length;
    memcpy(&n_without, record->data, sizeof(n_without));
    if (n_without < 0 || n_without > p->n_pairs)
        return bad_counts;
    for (int d = 0; d < p->job->n_datasets; d++) {
        const unsigned char *chunk = tile_pack_next(record, &at, &len);

        if (chunk == NULL)
            return bad_length;
        if (!tile_pack_undo(chunk, len, n, c->values[d], c->shuffled))
            return bad_chunk;
    }
    if (has_cigars(p->job))
        why = read_text(p, record, &at, &c->text);
    return why == NULL && at != record->len ? bad_length : why;
}

static const char *check_matrices(const place_t *p, const buf_t *record)
{
    const size_t n = (size_t)(p->job->grid->side * p->job->grid->side);
    const size_t n_arrays = (size_t)p->job->n_datasets + 1;
    cells_t c = {.shuffled = malloc(n_arrays * n * sizeof(*c.shuffled))};
    const char *why;

    if (c.shuffled == NULL)
        return no_memory;
    for (int d = 0; d < p->job->n_datasets; d++)
        c.values[d] = c.shuffled + ((size_t)d + 1) * n;
    if ((why = read_cells(p, record, &c)) == NULL)
        why = check_cells(p, &c);
    free(c.shuffled);
    buf_free(&c.text);
    return why;
}

/* ---- hits ---- */

/* @return whether a hit is of the tile, and comes after the one before it */
static bool is_in_place(const place_t *p, const pairs_hit_t *h, const pairs_hit_t *before)
{
    const tile_t *t = &p->tile;

    if (h->row < t->row0 || h->row >= t->row1 || h->col < t->col0 || h->col >= t->col1 ||
        h->row >= h->col)
        return false;
    if (h->strand != 1 && !(p->job->has_strands && h->strand == -1))
        return false;
    return before == NULL || h->row > before->row ||
           (h->row == before->row && h->col > before->col);
}

static const char *check_hits(const place_t *p, const pairs_hits_t *hits)
{
    static const fraction_t any = {0, 1}; /* there has to be an identity */
    const pairs_record_job_t *j = p->job;
    const fraction_t *min = j->min_identity.denominator != 0 ? &j->min_identity : &any;
    int64_t n_left = p->n_pairs * (j->has_strands ? 2 : 1) - pairs_hits_n(hits);

    for (int k = 0; k < PAIRS_STAGES_MAX; k++)
        n_left -= hits->n_dropped[k];
    if (n_left < 0 || hits->n_without_identity > p->n_pairs)
        return bad_counts;
    for (int64_t k = 0; k < pairs_hits_n(hits); k++) {
        const pairs_entry_t *e = pairs_hits_at(hits, k);

        if (!is_in_place(p, &e->hit, k > 0 ? &pairs_hits_at(hits, k - 1)->hit : NULL))
            return "has a hit that is not of its tile, or not in its order";
        if (!numbers_fit(j, &e->hit) ||
            !fraction_reached(min, e->hit.matches, e->hit.columns))
            return bad_numbers;
        if (has_cigars(j) != (e->text_len > 0) ||
            (has_cigars(j) &&
             !cigar_fits(j, &e->hit, (const char *)hits->text.data + e->text_at,
                         e->text_len)))
            return bad_cigar;
    }
    return NULL;
}

static const char *check_sparse(const place_t *p, const buf_t *record)
{
    pairs_hits_t hits = {.n_without_identity = 0};
    status_t st = pairs_hits_unpack(record->data, record->len, &hits);
    const char *why = st == ST_OK       ? check_hits(p, &hits)
                      : st == ST_ENOMEM ? no_memory
                                        : "does not hold hits";

    pairs_hits_free(&hits);
    return why;
}

const char *pairs_record_check(const pairs_record_job_t *job, int64_t tile,
                               const buf_t *record)
{
    place_t p = {.job = job, .tile = tile_at(job->grid, tile)};

    p.n_pairs = tile_pairs(&p.tile);
    return job->is_sparse ? check_sparse(&p, record) : check_matrices(&p, record);
}
