/*
 * search.h - the hits of queries among targets: k-mer filter -> edit filter, or scores ->
 * alignment -> best N.
 *
 * A hit is a pair whose identity reaches a minimum, and its E-value a maximum.  No hit is
 * missed: pairs that are not aligned are ruled out by filters that are proved
 * (docs/filters.md), or by their scores, or cannot be among the best N of their query.
 * There are two ways to search:
 *   - a batch of tiles at a time (search_list, search_submit, search_wait), for as many
 *     pairs as memory allows; of each pair the caller gets all results;
 *   - queries at a time (search_find): their best hits, from likely ones on.
 */
#pragma once

#include "io/pairs/evalue.h"
#include "io/pairs/identity_def.h"
#include "io/pairs/pairs_order.h"
#include "io/store/tile.h"
#include "kernels/align/composition/comp_scores.h"
#include "kernels/align/engine/aligner.h"

/* The stages of the filters, in the order in which they rule pairs out. */
enum { SEARCH_STAGES = 4 };
extern const char *const search_stages[SEARCH_STAGES];
extern const char *const search_centroid_stages[1]; /* with centroid_order */
extern const char *const search_score_stages[1];    /* where scores come first */

/* What identities are computed from. */
typedef enum {
    SEARCH_FROM_CANONICAL, /* they are matches / columns of the canonical alignment */
    SEARCH_FROM_COUNTS,    /* its score, matches and columns, and the two lengths */
    SEARCH_FROM_CIGAR      /* its CIGAR */
} search_source_t;

typedef struct {
    search_source_t source;
    identity_def_t def; /* unless SEARCH_FROM_CANONICAL */
    bool count_ends;    /* in the definition */
} search_identity_t;

/* What is searched.  The struct itself may be temporary; what its pointers lead to is
 * borrowed until destroy. */
typedef struct {
    const device_t *device;
    pool_t *pool; /* NULL: the caller alone */
    align_run_t run;
    /* The queries, if n_strands = 2 their reverse complements, and the targets, which
     * start at first_target; or all with all, and first_target = 0. */
    const seqset_t *set;
    int64_t n_queries, first_target;
    int n_strands;
    const align_spec_t *spec;   /* of the alignments */
    search_identity_t identity; /* of the hits */
    const align_spec_t *filter; /* that filters are created for; NULL: none is proved */
    fraction_t min_identity;    /* of a hit; a denominator of 0: none is too low */
    const evalue_t *law;        /* of the scores; NULL: no E-value is too high */
    double max_evalue;          /* of a hit, with a law */
    comp_mode_t composition;    /* with a law: how pairs are scored once more */
    int64_t n_best;             /* hits wanted per query; 0: all */
    pairs_order_t order;        /* which hits are better */
    /* All with all: of the hits only those of a sequence with the centroids before it in
     * this order are wanted, as greedy clustering at min_identity finds them.  NULL: all
     * are */
    const int32_t *centroid_order; /* [set->n] a permutation */
    aligner_options_t aligner;     /* fraction and cache are set here */
    const char *version;           /* for the cache of trials; NULL: no cache */
    /* for search_find: the group of each target, -1 for those that are left out.  The
     * best hit outside the group of the best one counts as one of the best. */
    const int32_t *group_of; /* [set->n - first_target]; NULL: there is no search_find */
} search_context_t;

typedef struct search search_t;

/* @return whether filters may rule out pairs.  Device and pool are not read: it depends
 *         on what is searched alone */
bool search_may_filter(const search_context_t *context);

/* @return whether all pairs are scored first, and those that cannot be hits by their
 *         scores are not aligned: local alignments with a maximum E-value or the best N,
 *         a score of which takes a tenth of the time of an alignment */
bool search_scores_first(const search_context_t *context);

/* Create the filters, where they may be used and are worth their time, and the aligner.
 * @return ST_OK, ST_ENOMEM, ST_EDEVICE, ST_ELOST or ST_EUSAGE */
status_t search_create(const search_context_t *context, search_t **out) MUST_CHECK;

/* @return the name of the aligner's first backend; the estimated rate of all pairs in
 *         cells per second, with those that filters rule out; whether there is a filter;
 *         batches that should be in flight; host memory taken per pair of a batch, in
 *         bytes, besides pairs and results */
const char *search_kernel(const search_t *search);
double search_guess(const search_t *search);
bool search_has_filter(const search_t *search);
int search_depth(const search_t *search);
int64_t search_pair_bytes(const search_t *search);

/* ---- batches of tiles ---- */

/* Pairs of a tile that each stage has ruled out; the first one counts those that are no
 * hits with centroids, or by their scores. */
typedef struct {
    int64_t n[SEARCH_STAGES];
} search_dropped_t;

/* Tiles and their pairs; the buffers are reused and grow on demand. */
typedef struct {
    tile_t *tiles;             /* [n_tiles] of queries and targets */
    int64_t *first_pair;       /* [n_tiles + 1] each tile's first, in `pairs` */
    search_dropped_t *dropped; /* [n_tiles] */
    int n_tiles, tiles_capacity;
    pair_t *pairs; /* tile by tile, row by row; of two strands the forward one first */
    int64_t pairs_capacity;
    pair_batch_t batch; /* of these pairs */
} search_batch_t;

typedef struct {
    int64_t pairs;   /* aligned per batch, if they are of more than one tile */
    int piece_tiles; /* tiles filtered per launch, at least 1 */
} search_limits_t;

/*
 * Put tiles into a batch and list their pairs: all of them, or those that filters pass.
 *
 * Tiles whose pairs exceed the limit are left out, from the end.  The first call finds
 * the bounds of --top, or the hits with centroids, which may take long.
 *
 * @param limits    those of later calls may differ
 * @param by_edits  whether the edit filter is used, if there is one; hits with centroids
 *                  are found with it in any case
 * @return ST_OK (also once the run is cancelled: then there are no pairs), ST_ENOMEM,
 *         ST_EDEVICE or ST_ELOST
 */
status_t search_list(search_t *search, const tile_t *tiles, int n, search_limits_t limits,
                     bool by_edits, search_batch_t *out) MUST_CHECK;

/* Align the pairs of a batch, as aligner_submit and aligner_wait do. */
status_t search_submit(search_t *search, const search_batch_t *batch) MUST_CHECK;
status_t search_wait(search_t *search, pair_results_t *out) MUST_CHECK;

/* @return whether pairs are scored once more, for their composition: results with a score
 *         of 0 are then those of pairs that are no hits */
bool search_rescores(const search_t *search);

/* Identities, as two numbers, as they are stored; NULL with scores alone. */
typedef struct {
    const int32_t *numerator, *denominator; /* [pairs] a denominator of 0: none */
} search_values_t;

/*
 * Compute the identities of a batch's results.
 *
 * @param out  either leads into the results or is valid until the next call
 */
status_t search_values(search_t *search, const pair_batch_t *batch,
                       const pair_results_t *results, search_values_t *out) MUST_CHECK;

/*
 * Align pairs, some at a time, and hand their results on.
 *
 * @param max_pairs  aligned at a time
 * @param take       called for one batch after the other; whole pairs of strands
 * @return ST_OK, ST_ENOMEM, ST_EDEVICE, ST_ELOST or what `take` returns; ST_ESTOPPED once
 *         the run is cancelled
 */
typedef status_t (*search_take_t)(void *ctx, const pair_batch_t *batch,
                                  const pair_results_t *results,
                                  const search_values_t *values);
status_t search_align(search_t *s, const pair_t *pairs, int64_t n, int64_t max_pairs,
                      search_take_t take, void *ctx) MUST_CHECK;

/*
 * The same for pairs that are made as they are aligned.
 *
 * @param next  sets the next batch: whole pairs of strands, which stay valid until
 *              `search_depth` further ones were asked for; n = 0: there are no more
 */
typedef status_t (*search_next_t)(void *ctx, pair_batch_t *batch);
status_t search_stream(search_t *s, search_next_t next, search_take_t take,
                       void *ctx) MUST_CHECK;

/*
 * Get the alignment of a query with a target: that of the better strand.
 *
 * @param at   index in the batch of the pair with the query's forward strand
 * @param out  hit->columns may be 0
 * @return the index of the better strand's pair
 */
int64_t search_pick(const search_t *search, const pair_batch_t *batch,
                    const pair_results_t *results, const search_values_t *values,
                    int64_t at, pairs_hit_t *out);

/* Note an alignment if it is a hit; called by several threads at a time.
 * @return whether it is a hit that may be among the best of its query */
bool search_keeps(search_t *search, const pairs_hit_t *hit);

void search_batch_free(search_batch_t *batch);

/* ---- queries ---- */

typedef struct {
    int32_t row; /* of the set, below first_target; several may have the same; -1: there
                  * are no hits */
    /* Targets, counted from first_target, ascending: those where good hits are likely,
     * which are in groups; those treated as if they had never been there. */
    const int32_t *likely, *removed;
    int64_t n_likely, n_removed;
    int64_t n_targets; /* only the first of all targets are searched */
} search_query_t;

/* Query q has the hits first[q] .. first[q + 1] - 1, the best first; ties are in the
 * order of the targets. */
typedef struct {
    int64_t *first; /* [n + 1] */
    pairs_hit_t *hits;
} search_hits_t;

/*
 * Find the best hits of queries among all targets.
 *
 * Targets are left out only if filters prove that their hits are worse than those
 * found.  Likely targets save time, as does a minimum identity for queries without them;
 * no result depends on likely targets.  There is one strand.
 *
 * @param queries  [n] Many at a time are faster: each call takes some nanoseconds per
 *                 sequence of the set
 * @param out      the hits that are at least as good as the n_best-th best and as the
 *                 best outside the group of the best; all hits if one of these does not
 *                 exist.  Valid until the next call
 * @return ST_OK, ST_ENOMEM, ST_EDEVICE or ST_ELOST; ST_ESTOPPED once the run is
 *         cancelled.  After an error only destroy may follow
 */
status_t search_find(search_t *search, const search_query_t *queries, int64_t n,
                     search_hits_t *out) MUST_CHECK;

/* Takes NULL. */
void search_destroy(search_t *search);
