/*
 * pairs_record.c - whether a log's record can be one of a tile, and whether two records
 * of a tile are the same.
 */
#include "io/pairs/write/pairs_write.h"

#include "io/base/logmsg.h"
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
static const char bad_without[] = "counts other pairs without an identity than it has";

typedef struct {
    const pairs_record_job_t *job;
    tile_t tile;
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

/* What the runs of a CIGAR add up to. */
typedef struct {
    int64_t query, target; /* bases */
    int64_t columns;       /* without end gaps on the left */
    int64_t equal, paired; /* columns that are marked as matches; with two bases */
    int64_t right[2];      /* the last run, and the one before, if they may be end gaps */
    int n_left;            /* end gaps there */
    bool is_inside;        /* a run was none of these */
} runs_t;

static void add_run(const pairs_record_job_t *j, uint32_t run, runs_t *r)
{
    const cigar_op_t op = cigar_run_op(run);
    const int64_t len = cigar_run_len(run);
    const bool is_end_gap =
        j->end_gaps != NULL && ((op == CIGAR_I && strchr(j->end_gaps, 'I') != NULL) ||
                                (op == CIGAR_D && strchr(j->end_gaps, 'D') != NULL));

    r->query += op != CIGAR_D ? len : 0;
    r->target += op != CIGAR_I ? len : 0;
    if (is_end_gap && !r->is_inside && r->n_left < j->n_end_gaps) {
        r->n_left++;
        return;
    }
    r->is_inside = true;
    r->columns += len;
    r->equal += op == CIGAR_EQ ? len : 0;
    r->paired += op != CIGAR_I && op != CIGAR_D ? len : 0;
    r->right[1] = is_end_gap ? r->right[0] : 0;
    r->right[0] = is_end_gap ? len : 0;
}

/* @return whether a pair's numbers are those of its CIGAR, as far as that shows them */
static bool counts_fit(const pairs_record_job_t *j, const pairs_hit_t *h, const runs_t *r)
{
    int64_t columns = r->columns;

    for (int k = 0; k < j->n_end_gaps; k++)
        columns -= r->right[k];
    return columns == h->columns &&
           (j->marks_matches ? h->matches == r->equal : h->matches <= r->paired);
}

/* @return whether a text is the CIGAR of a pair, or none if it has no identity */
static bool cigar_fits(const pairs_record_job_t *j, const pairs_hit_t *h,
                       const char *text, int64_t len)
{
    const char *end = text + len;
    runs_t r = {.query = 0};

    if (len == 0)
        return h->columns == 0;
    while (text < end) {
        uint32_t run;

        if ((text = cigar_next_run(text, end, &run)) == NULL)
            return false;
        add_run(j, run, &r);
    }
    return r.query == seqset_len(j->set, h->row) &&
           r.target == seqset_len(j->set, h->col) &&
           (j->end_gaps == NULL || counts_fit(j, h, &r));
}

/* ---- matrices ---- */

/* What a record holds. */
typedef struct {
    int64_t n_without; /* pairs without an identity, as the record counts them */
    int32_t *shuffled; /* [cells] scratch, then the datasets */
    buf_t text;        /* of CIGARs, padded to whole chunks */
} cells_t;

static bool has_cigars(const pairs_record_job_t *j)
{
    return j->n_datasets == PAIRS_N_CIGAR;
}

/* @return whether a cell has the values of no pair */
static bool is_filled(int32_t *const *values, int n_datasets, int64_t at)
{
    bool good = true;

    for (int d = 0; d < n_datasets; d++)
        good = good && values[d][at] == pairs_fill[d];
    return good;
}

/* Check row by row: the texts follow each other in this order.
 * @param without  out: pairs without an identity */
static const char *check_cells(const place_t *p, const cells_t *c, int64_t *without)
{
    const pairs_record_job_t *j = p->job;
    const int64_t side = j->grid->side;
    int32_t *values[PAIRS_DATASETS_MAX];
    size_t text_at = 0;
    int64_t n_without = 0;

    for (int d = 0; d < j->n_datasets; d++)
        values[d] = c->shuffled + (d + 1) * side * side;
    for (int64_t at = 0, row = p->tile.row0, col = p->tile.col0; at < side * side;
         at++, col++) {
        int64_t text_len = has_cigars(j) ? values[PAIRS_CIGAR_LENGTH][at] : 0;
        pairs_hit_t h;

        if (col == p->tile.col0 + side) {
            col = p->tile.col0;
            row++;
        }
        h.row = (int32_t)row;
        h.col = (int32_t)col;
        if (row >= p->tile.row1 || col >= p->tile.col1 || row >= col) {
            if (!is_filled(values, j->n_datasets, at))
                return "has values where its tile has no pair";
            continue;
        }
        h.score = values[PAIRS_SCORE][at];
        h.matches = j->n_datasets > 1 ? values[PAIRS_MATCHES][at] : 0;
        h.columns = j->n_datasets > 1 ? values[PAIRS_COLUMNS][at] : 0;
        if (!numbers_fit(j, &h))
            return bad_numbers;
        if (text_len < 0 || (size_t)text_len > c->text.len - text_at ||
            (has_cigars(j) &&
             !cigar_fits(j, &h, (const char *)c->text.data + text_at, text_len)))
            return bad_cigar;
        text_at += (size_t)text_len;
        n_without += h.columns == 0;
    }
    *without = j->n_datasets > 1 ? n_without : 0;
    if (c->text.len - text_at >= (size_t)pairs_cigar_chunk(j->grid))
        return bad_cigar;
    return NULL;
}

/* Read the chunks of text. @param at  where they are */
static const char *read_text(const tile_grid_t *grid, const buf_t *record, size_t *at,
                             buf_t *out)
{
    const size_t chunk = (size_t)pairs_cigar_chunk(grid);
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

/* Read a record. @param c  zeroed; freed by the caller @return NULL, or what is wrong */
static const char *read_cells(const tile_grid_t *grid, int n_datasets, bool has_text,
                              const buf_t *record, cells_t *c)
{
    const int64_t n = grid->side * grid->side;
    const char *why = NULL;
    size_t at = sizeof(c->n_without);
    uint32_t len;

    c->shuffled = malloc(((size_t)n_datasets + 1) * (size_t)n * sizeof(*c->shuffled));
    if (c->shuffled == NULL)
        return no_memory;
    if (record->len < at)
        return bad_length;
    memcpy(&c->n_without, record->data, sizeof(c->n_without));
    for (int d = 1; d <= n_datasets; d++) {
        const unsigned char *chunk = tile_pack_next(record, &at, &len);

        if (chunk == NULL)
            return bad_length;
        if (!tile_pack_undo(chunk, len, n, c->shuffled + d * n, c->shuffled))
            return bad_chunk;
    }
    if (has_text)
        why = read_text(grid, record, &at, &c->text);
    return why == NULL && at != record->len ? bad_length : why;
}

static void free_cells(cells_t *c)
{
    free(c->shuffled);
    buf_free(&c->text);
}

/* @param n_without  of the record, and of its cells */
static const char *check_matrices(const place_t *p, const buf_t *record,
                                  int64_t n_without[2])
{
    const pairs_record_job_t *j = p->job;
    cells_t c = {.n_without = 0};
    const char *why = read_cells(j->grid, j->n_datasets, has_cigars(j), record, &c);

    n_without[0] = c.n_without;
    if (why == NULL)
        why = check_cells(p, &c, &n_without[1]);
    free_cells(&c);
    return why;
}

static bool same_bytes(const buf_t *a, const buf_t *b)
{
    return a->len == b->len && (a->len == 0 || memcmp(a->data, b->data, a->len) == 0);
}

status_t pairs_equal_tiles(const tile_grid_t *grid, int n_datasets, bool has_text,
                           const buf_t *a, const buf_t *b, bool *equal)
{
    const int64_t n = grid->side * grid->side;
    cells_t of_a = {.n_without = 0}, of_b = {.n_without = 0};
    const char *why = NULL;

    *equal = same_bytes(a, b);
    if (!*equal && (why = read_cells(grid, n_datasets, has_text, a, &of_a)) == NULL &&
        (why = read_cells(grid, n_datasets, has_text, b, &of_b)) == NULL)
        *equal = of_a.n_without == of_b.n_without &&
                 memcmp(of_a.shuffled + n, of_b.shuffled + n,
                        (size_t)(n_datasets * n) * sizeof(*of_a.shuffled)) == 0 &&
                 same_bytes(&of_a.text, &of_b.text);
    free_cells(&of_a);
    free_cells(&of_b);
    return why == no_memory ? log_nomem("comparing results") : ST_OK;
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
    const int64_t n_pairs = tile_pairs(&p->tile);
    int64_t n_left = n_pairs * (j->has_strands ? 2 : 1) - pairs_hits_n(hits);

    for (int k = 0; k < PAIRS_STAGES_MAX; k++)
        n_left -= hits->n_dropped[k];
    if (n_left < hits->n_without_identity || hits->n_without_identity > n_pairs)
        return bad_counts;
    for (int64_t k = 0; k < pairs_hits_n(hits); k++) {
        const pairs_entry_t *e = pairs_hits_at(hits, k);

        if (!is_in_place(p, &e->hit, k > 0 ? &pairs_hits_at(hits, k - 1)->hit : NULL))
            return "has a hit that is not of its tile, or not in its order";
        if (!numbers_fit(j, &e->hit) ||
            !fraction_reached(min, e->hit.matches, e->hit.columns))
            return bad_numbers;
        if (has_cigars(j)
                ? !cigar_fits(j, &e->hit, (const char *)hits->text.data + e->text_at,
                              e->text_len)
                : e->text_len > 0)
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

/* Compare member by member: there is padding between them. */
static bool same_entries(const pairs_hits_t *a, const pairs_hits_t *b)
{
    if (pairs_hits_n(a) != pairs_hits_n(b))
        return false;
    for (int64_t k = 0; k < pairs_hits_n(a); k++) {
        const pairs_entry_t *x = pairs_hits_at(a, k), *y = pairs_hits_at(b, k);

        if (x->hit.row != y->hit.row || x->hit.col != y->hit.col ||
            x->hit.score != y->hit.score || x->hit.matches != y->hit.matches ||
            x->hit.columns != y->hit.columns || x->hit.strand != y->hit.strand ||
            x->text_len != y->text_len)
            return false;
    }
    return true;
}

status_t pairs_equal_hits(const buf_t *a, const buf_t *b, bool *equal)
{
    pairs_hits_t of_a = {.n_without_identity = 0}, of_b = {.n_without_identity = 0};
    status_t st_a, st_b = ST_OK;

    *equal = same_bytes(a, b);
    if (*equal)
        return ST_OK;
    st_a = pairs_hits_unpack(a->data, a->len, &of_a);
    if (st_a == ST_OK)
        st_b = pairs_hits_unpack(b->data, b->len, &of_b);
    if (st_a == ST_OK && st_b == ST_OK)
        *equal = same_entries(&of_a, &of_b) && same_bytes(&of_a.text, &of_b.text);
    pairs_hits_free(&of_a);
    pairs_hits_free(&of_b);
    return st_a == ST_ENOMEM || st_b == ST_ENOMEM ? ST_ENOMEM : ST_OK;
}

const char *pairs_record_check(const pairs_record_job_t *job, int64_t tile,
                               const buf_t *record)
{
    const place_t p = {job, tile_at(job->grid, tile)};
    int64_t n_without[2];
    const char *why;

    if (job->is_sparse)
        return check_sparse(&p, record);
    why = check_matrices(&p, record, n_without);
    return why == NULL && n_without[0] != n_without[1] ? bad_without : why;
}

const char *pairs_record_count(const pairs_record_job_t *job, int64_t tile, buf_t *record)
{
    const place_t p = {job, tile_at(job->grid, tile)};
    int64_t n_without[2];
    const char *why;

    if (job->is_sparse)
        return pairs_record_check(job, tile, record);
    if ((why = check_matrices(&p, record, n_without)) == NULL)
        memcpy(record->data, &n_without[1], sizeof(n_without[1]));
    return why;
}
