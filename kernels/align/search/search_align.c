/*
 * search_align.c - pairs on their way through the aligner, their identities, and which
 * are hits.
 */
#include "kernels/align/search/search_state.h"

#include "io/base/logmsg.h"

#include <stdlib.h>

align_context_t search_align_context(const search_t *s, const align_spec_t *spec)
{
    const search_context_t *c = &s->context;

    return (align_context_t){c->device, c->pool, c->set, spec, c->run};
}

bool search_has_row_identities(const search_context_t *c)
{
    return c->first_target > 0 && !align_ends_limit_overlap(c->filter->ends);
}

static status_t wait_and_take(search_t *s, const pair_batch_t *batch, search_take_t take,
                              void *ctx)
{
    search_values_t values;
    pair_results_t results;
    status_t st = aligner_wait(s->aligner, &results);

    if (st != ST_OK)
        return st;
    if (align_cancelled(s->context.run.cancel))
        return ST_ESTOPPED;
    if ((st = search_values(s, batch, &results, &values)) != ST_OK)
        return st;
    return take(ctx, batch, &results, &values);
}

status_t search_stream(search_t *s, search_next_t next, search_take_t take, void *ctx)
{
    const int depth = aligner_depth(s->aligner);
    pair_batch_t flights[ALIGNER_DEPTH];
    int64_t n_begun = 0, n_done = 0;
    bool more = true;
    status_t st = ST_OK;

    while (st == ST_OK && (more || n_done < n_begun)) {
        pair_batch_t *f = &flights[n_begun % ALIGNER_DEPTH];

        if (!more || n_begun - n_done == depth) {
            st = wait_and_take(s, &flights[n_done++ % ALIGNER_DEPTH], take, ctx);
        } else if ((st = next(ctx, f)) == ST_OK && (more = f->n > 0) &&
                   (st = aligner_submit(s->aligner, f)) == ST_OK) {
            n_begun++;
        }
    }
    for (pair_results_t ignored; n_done < n_begun; n_done++)
        if (aligner_wait(s->aligner, &ignored) != ST_OK)
            break;
    return st;
}

/* Pairs that are there, a step at a time. */
typedef struct {
    const pair_t *pairs;
    int64_t n, step;
    search_take_t take;
    void *ctx;
} listed_t;

static status_t next_step(void *ctx, pair_batch_t *batch)
{
    listed_t *l = ctx;

    *batch = (pair_batch_t){l->pairs, l->n < l->step ? l->n : l->step};
    l->pairs += batch->n;
    l->n -= batch->n;
    return ST_OK;
}

static status_t take_step(void *ctx, const pair_batch_t *batch,
                          const pair_results_t *results, const search_values_t *values)
{
    const listed_t *l = ctx;

    return l->take(l->ctx, batch, results, values);
}

status_t search_align(search_t *s, const pair_t *pairs, int64_t n, int64_t max_pairs,
                      search_take_t take, void *ctx)
{
    const int strands = s->context.n_strands;
    const int64_t step = max_pairs / aligner_depth(s->aligner) / strands * strands;
    listed_t listed = {pairs, n, step > strands ? step : strands, take, ctx};

    return search_stream(s, next_step, take_step, &listed);
}

/* ---- identities ---- */

/* By a definition of their own, where they are not simply matches and columns of the
 * canonical alignment. */

enum { BLOCK = 4096 }; /* pairs per task of the thread pool */

typedef struct {
    search_t *search;
    const pair_batch_t *batch;
    const pair_results_t *results;
} batch_t;

/* worker/align/job_align_spec.c shows why the counts suffice. */
static identity_value_t from_counts(const batch_t *b, int64_t at, int64_t m, int64_t n)
{
    const search_identity_t *identity = &b->search->context.identity;
    const align_scoring_t *s = &b->search->context.spec->scoring;
    int64_t matches = b->results->matches[at], columns = b->results->columns[at], others;
    identity_counts_t counts = {.matches = matches};

    if (columns == 0) /* the pair has no identity */
        return (identity_value_t){0, 0};
    others = columns - matches;
    if (identity->count_ends)
        counts.mismatches = m + n - columns - matches;
    else if (identity->def != IDENTITY_CDHIT) /* which needs no mismatches */
        counts.mismatches =
            (b->results->score[at] - (int64_t)s->match * matches - s->gap * others) /
            (s->mismatch - s->gap);
    counts.gap_letters = m + n - 2 * (matches + counts.mismatches);
    return identity_def_of_counts(identity->def, identity->count_ends, &counts, m, n);
}

static identity_value_t from_cigar(const batch_t *b, int64_t at, int64_t m, int64_t n)
{
    const search_context_t *c = &b->search->context;
    const int64_t *start = b->results->cigar_start + at;
    identity_counts_t counts;

    if (start[1] == start[0]) /* the pair has no identity */
        return (identity_value_t){0, 0};
    counts = identity_def_count(b->results->cigar + start[0], start[1] - start[0],
                                c->spec->join_columns ? b->results->matches[at] : 0);
    return identity_def_of_counts(c->identity.def, c->identity.count_ends, &counts, m, n);
}

static void convert(void *ctx, int64_t block, int thread)
{
    const batch_t *b = ctx;
    search_t *s = b->search;
    int64_t first = block * BLOCK, n_pairs = b->batch->n;
    int64_t end = first + BLOCK < n_pairs ? first + BLOCK : n_pairs;
    bool has_cigar = s->context.identity.source == SEARCH_FROM_CIGAR;

    (void)thread;
    for (int64_t at = first; at < end; at++) {
        int64_t m = seqset_len(s->context.set, b->batch->pairs[at].query);
        int64_t n = seqset_len(s->context.set, b->batch->pairs[at].target);
        identity_value_t v =
            has_cigar ? from_cigar(b, at, m, n) : from_counts(b, at, m, n);

        s->numerator[at] = v.denominator > 0 ? (int32_t)v.numerator : 0;
        s->denominator[at] = (int32_t)v.denominator;
    }
}

static status_t reserve(search_t *s, int64_t n)
{
    if (n <= s->values_capacity)
        return ST_OK;
    s->values_capacity = 0;
    free(s->numerator);
    free(s->denominator);
    s->numerator = malloc((size_t)n * sizeof(*s->numerator));
    s->denominator = malloc((size_t)n * sizeof(*s->denominator));
    if (s->numerator == NULL || s->denominator == NULL)
        return log_nomem("a batch's identities");
    s->values_capacity = n;
    return ST_OK;
}

status_t search_values(search_t *s, const pair_batch_t *batch,
                       const pair_results_t *results, search_values_t *out)
{
    batch_t b = {s, batch, results};
    status_t st;

    *out = (search_values_t){results->matches, results->columns};
    if (s->context.identity.source == SEARCH_FROM_CANONICAL || batch->n == 0)
        return ST_OK;
    if ((st = reserve(s, batch->n)) != ST_OK)
        return st;
    pool_run(s->context.pool, (batch->n + BLOCK - 1) / BLOCK, convert, &b);
    *out = (search_values_t){s->numerator, s->denominator};
    return ST_OK;
}

/* Compare the query's alignment with the next one, that of its reverse complement.  The
 * alignments are compared, not their identities, which may be defined otherwise. */
static bool reverse_is_better(const pair_results_t *results, int64_t forward)
{
    const int32_t *score = results->score + forward;
    const int32_t *matches = results->matches + forward;

    return score[1] != score[0] ? score[1] > score[0] : matches[1] > matches[0];
}

int64_t search_pick(const search_t *s, const pair_batch_t *batch,
                    const pair_results_t *results, const search_values_t *values,
                    int64_t at, pairs_hit_t *out)
{
    const bool is_reverse = s->context.n_strands > 1 && reverse_is_better(results, at);
    const pair_t forward = batch->pairs[at];

    at += is_reverse;
    *out = (pairs_hit_t){.row = forward.query,
                         .col = forward.target,
                         .score = results->score[at],
                         .matches = values->numerator[at],
                         .columns = values->denominator[at],
                         .strand = is_reverse ? -1 : 1};
    return at;
}

bool search_keeps(search_t *s, const pairs_hit_t *hit)
{
    return fraction_reached(&s->min_identity, hit->matches, hit->columns) &&
           (s->best == NULL || search_best_note(s->best, hit->row, hit, 0));
}
