/*
 * search_state.h - the state of search.h, which its files share.
 */
#pragma once

#include "io/base/buf.h"
#include "io/base/status.h"
#include "io/pairs/pairs_order.h"
#include "kernels/align/edits/edit_filter.h"
#include "kernels/align/filter/pair_filter.h"
#include "kernels/align/search/search.h"

#include <stdbool.h>

/* search_best.c: the best hits of each query so far; shared by threads.
 *
 * pairs_order.h says which hit is better.  All hits that tie with the last of the best
 * belong to them. */

typedef struct search_best search_best_t;

/*
 * @param n_best  at least 1
 * @param rivals  whether the best hit outside the group of the best one counts as one of
 *                the best
 * @return ST_OK or ST_ENOMEM
 */
status_t search_best_create(pairs_order_t order, int64_t n_queries, int64_t n_best,
                            bool rivals, search_best_t **out) MUST_CHECK;

/*
 * Note a hit.
 *
 * @param hit    that of the same column may be noted again
 * @param group  of its target; with rivals only
 * @return false: it cannot be among the best, whatever comes later; true: it may be
 */
bool search_best_note(search_best_t *best, int64_t query, const pairs_hit_t *hit,
                      int32_t group);

/*
 * Get the last of the best hits, while no thread notes any.
 *
 * @param out  score, matches and columns
 * @return whether there is one; if not, fewer hits than wanted have been noted
 */
bool search_best_last(const search_best_t *best, int64_t query, pairs_hit_t *out);

/* Forget all hits of a query. */
void search_best_forget(search_best_t *best, int64_t query);

/* Takes NULL. */
void search_best_destroy(search_best_t *best);

/* Pairs that filters have passed: those of rectangle k are start[k] .. start[k + 1] - 1,
 * sorted by row, then by column. */
typedef struct {
    const pair_t *pairs;
    const int64_t *start;
} search_passed_t;

/* Identities that edit filters are created for. */
enum { SEARCH_LEVELS_MAX = 3 };

/* The filter by edit distance, which runs after the k-mer filter. */
typedef struct {
    fraction_t levels[SEARCH_LEVELS_MAX];
    edit_filter_t *filters[SEARCH_LEVELS_MAX]; /* NULL: not created yet */
    int n_levels;                              /* 0: edits are not tested */
    pair_t *pairs;                             /* [capacity] that pass */
    uint8_t *keep; /* [2 x capacity] of each pair, then of those of one level */
    int64_t capacity;
    int64_t *start; /* [rects_capacity + 1] each rectangle's first pair, in `pairs` */
    int64_t rects_capacity;
} search_edits_t;

/* What search_find needs besides. */
typedef struct {
    int64_t piece_pairs; /* filtered per launch */
    buf_t rows;          /* the rows of the queries, sorted */
    buf_t likely;        /* uint8_t of each query: its row has likely targets */
    buf_t rects;         /* filter_rect_t */
    buf_t pairs;         /* pair_t to be aligned */
    buf_t found;         /* hits that may be among the best */
    buf_t first, hits;   /* of the results */
} search_finder_t;

/* What search_centroids.c has found: pairs by row, then by column. */
typedef struct {
    pair_t *pairs;       /* NULL: not found yet */
    int64_t *row_start;  /* [set->n + 1] */
    buf_t listed, start; /* pair_t of a batch, int64_t: where those of each tile start */
} search_centroids_t;

/* search_seeds.c: pairs that share seeds. */

typedef struct search_seeds search_seeds_t;

/* @param context  borrowed until destroy
 * @param out      set also by an error, to be destroyed
 * @return ST_OK or ST_ENOMEM */
status_t search_seeds_create(const search_context_t *context,
                             search_seeds_t **out) MUST_CHECK;

/* Leave out the pairs of a batch, which has all pairs of its tiles, that share no seeds,
 * and count them. @return ST_OK or ST_ENOMEM */
status_t search_seeds_run(search_seeds_t *seeds, search_batch_t *batch) MUST_CHECK;

/* Takes NULL. */
void search_seeds_destroy(search_seeds_t *seeds);

/* What search_scores.c needs. */
typedef struct {
    align_spec_t spec;
    aligner_t *aligner;     /* of scores; NULL: pairs are aligned at once */
    search_seeds_t *seeds;  /* NULL: all pairs are scored */
    double max_evalue;      /* of what is left */
    double piece_cells;     /* scored at a time, about */
    int64_t piece_residues; /* of targets that are scored at a time */
    search_batch_t pieces[ALIGNER_DEPTH];
    search_best_t *best; /* scores of each query; NULL: all hits are wanted */
    int64_t *start;      /* [tiles_capacity + 1] each tile's pairs that are left */
    int tiles_capacity;
} search_scores_t;

/* search_rescore.c: alignments with scores for compositions. */

typedef struct search_rescore search_rescore_t;

/* @param context  borrowed until destroy
 * @param out      set also by an error, to be destroyed
 * @return ST_OK, ST_ENOMEM or ST_EUSAGE */
status_t search_rescore_create(const search_context_t *context,
                               search_rescore_t **out) MUST_CHECK;

/* Begin a batch. @return ST_OK or ST_ENOMEM */
status_t search_rescore_begin(search_rescore_t *rescore) MUST_CHECK;

/* Align those of the batch's pairs so far that are not aligned yet.
 * @param pairs  [n] borrowed for the call. @return ST_OK or ST_ENOMEM */
status_t search_rescore_add(search_rescore_t *rescore, const pair_t *pairs,
                            int64_t n) MUST_CHECK;

/* Get the results of all pairs, valid until the next batch. @return ST_OK or ST_ENOMEM */
status_t search_rescore_results(search_rescore_t *rescore,
                                pair_results_t *out) MUST_CHECK;

/* Takes NULL. */
void search_rescore_destroy(search_rescore_t *rescore);

struct search {
    search_context_t context;
    fraction_t min_identity;   /* of a hit; 0/1: every hit has an identity */
    aligner_t *aligner;        /* NULL: rescore aligns what is left */
    search_rescore_t *rescore; /* NULL: scores are those of the matrix */
    trial_cache_t *trials;     /* kept between runs; may be NULL */
    pair_filter_t *filter;     /* NULL: all pairs are aligned */
    search_edits_t edits;
    double passed; /* estimated fraction of all pairs that the filters pass; 0: unknown */
    search_best_t *best;  /* of the queries; NULL: all hits are wanted */
    fraction_t *required; /* [first_target] that the hits of each row have to reach; NULL:
                           * min_identity */
    int n_bound_levels;   /* that search_bounds_find has still to search */
    int piece_tiles;      /* of the filter's next launch; 0: not set yet */
    filter_rect_t *rects; /* [rects_capacity] of a batch's tiles */
    int64_t rects_capacity;
    int32_t *numerator, *denominator; /* [values_capacity] of search_values */
    int64_t values_capacity;
    search_finder_t find;
    search_centroids_t centroids;
    search_scores_t scores;
};

/* @return whether a < b */
static inline bool search_is_below(fraction_t a, fraction_t b)
{
    return a.numerator * b.denominator < b.numerator * a.denominator;
}

/* @return what aligners, or with a spec of their own filters, are created for */
align_context_t search_align_context(const search_t *s, const align_spec_t *spec);

/* @return whether filters can require another identity of each row */
bool search_has_row_identities(const search_context_t *context);

/* search_batch.c: put tiles into a batch, without pairs */
status_t search_batch_put(search_batch_t *b, const tile_t *tiles, int n) MUST_CHECK;

/* Make room for n pairs in all; pairs that the batch has already stay. */
status_t search_batch_reserve(search_batch_t *b, int64_t n) MUST_CHECK;

/* List all pairs of the tiles. */
status_t search_batch_put_all(search_t *s, search_batch_t *b) MUST_CHECK;

/* A tile is one rectangle per strand. @return the end of the rectangles written */
filter_rect_t *search_batch_rects(const search_context_t *context, tile_t tile,
                                  filter_rect_t *out);

/* Append the pairs that passed of n tiles from `first` on: the filter reuses its buffer.
 */
status_t search_batch_append(search_t *s, search_batch_t *b, int first, int n,
                             search_passed_t passed) MUST_CHECK;

/* Make a batch of one tile and the pairs that the k-mer filter passes.
 * @return ST_OK, ST_ENOMEM, ST_EDEVICE; ST_ESTOPPED once the run is cancelled */
status_t search_batch_put_tile(search_t *s, tile_t tile, search_batch_t *out) MUST_CHECK;

/* search_edits.c: create the edit filter for the minimum identity if a sample shows that
 * it is worth its time; always for centroids, where the k-mer filter does not exist yet.
 */
status_t search_edits_prepare(search_t *s) MUST_CHECK;

/*
 * Rule out pairs that have too many edits to reach what their rows require.
 *
 * @param passed  those of n_rects rectangles; out: what is left, valid until the next
 *                call
 * @param n_out   out: pairs ruled out
 * @return ST_OK, ST_ENOMEM, ST_EDEVICE; ST_ESTOPPED once the run is cancelled
 */
status_t search_edits_run(search_t *s, int64_t n_rects, search_passed_t *passed,
                          int64_t *n_out) MUST_CHECK;

/*
 * search_centroids.c: list the hits of tiles with centroids; the first call finds them.
 *
 * @param out  its tiles are set; later ones whose pairs exceed the limit are left out
 * @return ST_OK, ST_ENOMEM, ST_EDEVICE; ST_ESTOPPED once the run is cancelled
 */
status_t search_centroids_list(search_t *s, search_limits_t limits,
                               search_batch_t *out) MUST_CHECK;
void search_centroids_free(search_centroids_t *c);

/* search_scores.c: create what scores pairs. @return as search_create */
status_t search_scores_prepare(search_t *s) MUST_CHECK;

/*
 * Score all pairs of tiles, and list those that may be hits.
 *
 * @param out  its tiles are set; later ones whose pairs exceed the limit are left out
 * @return ST_OK, ST_ENOMEM, ST_EDEVICE, ST_ELOST; ST_ESTOPPED once the run is cancelled
 */
status_t search_scores_list(search_t *s, search_limits_t limits,
                            search_batch_t *out) MUST_CHECK;
void search_scores_free(search_scores_t *c);

/* search_bounds.c: whether the number of targets makes a search for bounds worth trying
 */
bool search_bounds_are_useful(const search_context_t *context);

/*
 * Decide which identities to search, by a sample.
 *
 * @param identity  in: the minimum, 0/1 if there is none; out: the identity to create the
 *                  filter for, 0/1 if no filter would help
 */
status_t search_bounds_prepare(search_t *s, filter_shape_t shape,
                               fraction_t *identity) MUST_CHECK;

/*
 * Find the bounds and give them to the filter as the identities of its rows; destroy the
 * filter if it has nothing to rule out.  Only the first call does anything.
 *
 * @return ST_OK (also once the run is cancelled), ST_ENOMEM or ST_EDEVICE
 */
status_t search_bounds_find(search_t *s, int64_t max_pairs) MUST_CHECK;

/* search_find.c */
status_t search_finder_prepare(search_t *s) MUST_CHECK;
void search_finder_free(search_finder_t *f);
