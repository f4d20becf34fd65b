/*
 * search_scores.c - scores of all pairs of a batch of tiles come first, and of local
 * alignments those pairs are left that may be hits.
 *
 * Pieces of tiles are scored, one while the one before it is examined, and what is left
 * of it is scored once more for its composition.  A pair is left if its E-value is low
 * enough, and among the best N of its query if no N others that are hits as well have a
 * better score: scores rank first (pairs_order.h).
 */
#include "io/base/logmsg.h"
#include "kernels/align/search/search_state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A pair that is scored once more, for its composition, is a candidate up to this
 * multiple of the maximum E-value: adjusted scores may be higher. */
static const double CANDIDATES = 30;

/* The kernel for databases larger than a GPU's memory, and the fraction of this for the
 * targets of a piece, of which two are in flight. */
static const char WINDOWS_KERNEL[] = "pscan";
enum { WINDOWS = 4 };

/* Seconds of a GPU's work in a piece, whose candidates the CPU aligns meanwhile: the last
 * ones leave the GPU idle. */
static const double PIECE_S = 0.05;

status_t search_scores_prepare(search_t *s)
{
    const search_context_t *c = &s->context;
    search_scores_t *x = &s->scores;
    aligner_options_t options = c->aligner;
    align_context_t context;
    status_t st = ST_OK;

    x->spec = *c->spec;
    x->spec.emit = EMIT_SCORE;
    context = search_align_context(s, &x->spec);
    x->max_evalue = c->max_evalue;
    if (c->composition != COMP_OFF)
        x->max_evalue *= CANDIDATES;
    else if (s->best != NULL && s->min_identity.numerator == 0 &&
             c->spec->min_overlap.numerator == 0)
        st = search_best_create(PAIRS_BY_SCORE, c->n_queries, c->n_best, false, &x->best);
    if (st == ST_OK && c->law != NULL && c->method == SEARCH_STAGED)
        st = search_seeds_create(c, &x->seeds);
    options.cache = s->trials;
    x->piece_residues = INT64_MAX;
    if (c->run.in_windows) {
        options.kernel = WINDOWS_KERNEL;
        x->piece_residues = c->run.device_bytes / WINDOWS;
    }
    if (st != ST_OK || (st = aligner_create(&context, &options, &x->aligner)) != ST_OK)
        return st;
    x->piece_cells = c->composition != COMP_OFF && device_is_gpu(c->device)
                         ? PIECE_S * aligner_guess(x->aligner)
                         : INFINITY;
    return ST_OK;
}

void search_scores_free(search_scores_t *x)
{
    aligner_destroy(x->aligner);
    search_seeds_destroy(x->seeds);
    for (int k = 0; k < ALIGNER_DEPTH; k++)
        search_batch_free(&x->pieces[k]);
    search_best_destroy(x->best);
    free(x->start);
}

/* ---- a piece whose pairs are scored ---- */

typedef struct {
    search_t *search;
    search_batch_t *piece;
    const int32_t *score;
    int64_t *n_left; /* of each tile */
} scored_t;

/* @return whether a pair may be a hit, by the score of its better strand */
static bool may_be_hit(search_t *s, pair_t pair, int32_t score)
{
    const search_context_t *c = &s->context;
    const pairs_hit_t hit = {.row = pair.query, .col = pair.target, .score = score};

    if (score <= 0 ||
        (c->law != NULL &&
         !evalue_reached(c->law, score, seqset_len(c->set, pair.query),
                         seqset_len(c->set, pair.target), s->scores.max_evalue)))
        return false;
    return s->scores.best == NULL ||
           search_best_note(s->scores.best, pair.query, &hit, 0);
}

/* Move the pairs of a tile that may be hits to its front. */
static void examine_tile(void *ctx, int64_t k, int thread)
{
    const scored_t *x = ctx;
    const int strands = x->search->context.n_strands;
    pair_t *pairs = x->piece->pairs, *out = pairs + x->piece->first_pair[k];

    (void)thread;
    for (int64_t at = x->piece->first_pair[k]; at < x->piece->first_pair[k + 1];
         at += strands) {
        int32_t score = x->score[at];

        if (strands == 2 && x->score[at + 1] > score)
            score = x->score[at + 1];
        if (!may_be_hit(x->search, pairs[at], score))
            continue;
        memmove(out, pairs + at, (size_t)strands * sizeof(*out));
        out += strands;
    }
    x->n_left[k] = out - (pairs + x->piece->first_pair[k]);
}

/* ---- a batch, piece by piece ---- */

typedef struct {
    search_t *search;
    search_batch_t *batch;
    search_limits_t limits;
    int n_begun, n_done;      /* tiles given to the aligner, and taken into the batch */
    int n_pieces, n_examined; /* likewise */
} batch_t;

/* @return tiles of the next piece, at least one: those in flight have together as many
 *         pairs as a batch */
static int count_piece(const batch_t *b)
{
    const search_context_t *c = &b->search->context;
    const int left = b->batch->n_tiles - b->n_begun;
    const search_scores_t *x = &b->search->scores;
    const tile_t *tiles = b->batch->tiles + b->n_begun;
    int64_t n_pairs = 0, first = INT64_MAX, end = 0;
    double cells = 0;
    int n = 0;

    while (n < left && n < b->limits.piece_tiles) {
        n_pairs += tile_pairs(&tiles[n]) * c->n_strands;
        cells += (double)(tile_cells(&tiles[n], c->set) * c->n_strands);
        first = tiles[n].col0 < first ? tiles[n].col0 : first;
        end = tiles[n].col1 > end ? tiles[n].col1 : end;
        if (n > 0 &&
            (n_pairs > b->limits.pairs / ALIGNER_DEPTH || cells > x->piece_cells ||
             c->set->offset[end] - c->set->offset[first] > x->piece_residues))
            break;
        n++;
    }
    return n;
}

static status_t begin_piece(batch_t *b)
{
    search_scores_t *x = &b->search->scores;
    search_batch_t *piece = &x->pieces[b->n_pieces % ALIGNER_DEPTH];
    const int n = count_piece(b);
    status_t st = search_batch_put(piece, b->batch->tiles + b->n_begun, n);

    if (st != ST_OK || (st = search_batch_put_all(b->search, piece)) != ST_OK ||
        (x->seeds != NULL && (st = search_seeds_run(x->seeds, piece)) != ST_OK) ||
        (st = aligner_submit(x->aligner, &piece->batch)) != ST_OK)
        return st;
    b->n_begun += n;
    b->n_pieces++;
    return ST_OK;
}

static status_t reserve_tiles(search_scores_t *x, int n)
{
    if (n <= x->tiles_capacity)
        return ST_OK;
    x->tiles_capacity = 0;
    free(x->start);
    if ((x->start = malloc((size_t)n * sizeof(*x->start))) == NULL)
        return log_nomem("a batch's tiles");
    x->tiles_capacity = n;
    return ST_OK;
}

/* Append what is left of a tile, at the end of the batch. */
static void append_tile(batch_t *b, const search_batch_t *piece, int k, int64_t n_left)
{
    search_batch_t *out = b->batch;
    const int tile = b->n_done + k;
    const int64_t n = piece->first_pair[k + 1] - piece->first_pair[k];

    out->first_pair[tile] = out->batch.n;
    out->dropped[tile] = piece->dropped[k];
    out->dropped[tile].n[0] = n - n_left;
    if (n_left > 0)
        memcpy(out->pairs + out->batch.n, piece->pairs + piece->first_pair[k],
               (size_t)n_left * sizeof(*out->pairs));
    out->batch.n += n_left;
}

/* @return how many tiles of a piece the batch has room for; its first one always */
static int count_fitting(const batch_t *b, const search_batch_t *piece)
{
    int64_t n = b->batch->batch.n;
    int k = 0;

    while (k < piece->n_tiles && ((k == 0 && b->n_done == 0) ||
                                  n + b->search->scores.start[k] <= b->limits.pairs))
        n += b->search->scores.start[k++];
    return k;
}

/* Take the oldest piece into the batch, which ends where there is no more room. */
static status_t take_piece(batch_t *b)
{
    search_t *s = b->search;
    search_batch_t *piece = &s->scores.pieces[b->n_examined++ % ALIGNER_DEPTH];
    pair_results_t results;
    status_t st = aligner_wait(s->scores.aligner, &results);
    int64_t n_left = 0;
    scored_t scored;
    int n;

    if (st == ST_OK && align_cancelled(s->context.run.cancel))
        st = ST_ESTOPPED;
    if (st != ST_OK || (st = reserve_tiles(&s->scores, piece->n_tiles)) != ST_OK)
        return st;
    scored = (scored_t){s, piece, results.score, s->scores.start};
    pool_run(s->context.pool, piece->n_tiles, examine_tile, &scored);
    n = count_fitting(b, piece);
    for (int k = 0; k < n; k++)
        n_left += s->scores.start[k];
    if ((st = search_batch_reserve(b->batch, b->batch->batch.n + n_left)) != ST_OK)
        return st;
    for (int k = 0; k < n; k++)
        append_tile(b, piece, k, s->scores.start[k]);
    b->n_done += n;
    if (n < piece->n_tiles)
        b->batch->n_tiles = b->n_done;
    return ST_OK;
}

/* Wait for the pieces that are left after an error, or because there was no more room. */
static void drop_pieces(batch_t *b)
{
    pair_results_t ignored;

    for (; b->n_examined < b->n_pieces; b->n_examined++)
        if (aligner_wait(b->search->scores.aligner, &ignored) != ST_OK)
            break;
}

/* @return whether the next piece is to be begun */
static bool may_begin(const batch_t *b)
{
    return b->n_begun < b->batch->n_tiles &&
           b->n_pieces - b->n_examined < aligner_depth(b->search->scores.aligner);
}

/* Align what is left of the pieces so far, if it is scored once more; the next ones are
 * being scored. */
static status_t rescore(const batch_t *b)
{
    search_rescore_t *r = b->search->rescore;

    return r != NULL ? search_rescore_add(r, b->batch->pairs, b->batch->batch.n) : ST_OK;
}

status_t search_scores_list(search_t *s, search_limits_t limits, search_batch_t *out)
{
    batch_t b = {.search = s, .batch = out, .limits = limits};
    status_t st = s->rescore != NULL ? search_rescore_begin(s->rescore) : ST_OK;

    out->batch = (pair_batch_t){out->pairs, 0};
    while (st == ST_OK && may_begin(&b))
        st = begin_piece(&b);
    while (st == ST_OK && b.n_done < out->n_tiles)
        if ((st = take_piece(&b)) == ST_OK &&
            (!may_begin(&b) || (st = begin_piece(&b)) == ST_OK))
            st = rescore(&b);
    drop_pieces(&b);
    out->first_pair[out->n_tiles] = out->batch.n;
    out->batch.pairs = out->pairs;
    return st;
}
