/*
 * job_align_identity.c - identities by the definition of --iddef, where they are not
 * simply matches and columns of the canonical alignment.
 */
#include "worker/align/job_align_results.h"

#include "io/base/logmsg.h"

#include <stdlib.h>

enum { BLOCK = 4096 }; /* pairs per task of the thread pool */

int64_t job_align_identity_bytes(const job_align_t *j)
{
    return j->spec.source == JOB_ALIGN_FROM_CANONICAL ? 0 : 2 * (int64_t)sizeof(int32_t);
}

typedef struct {
    const job_align_t *job;
    const job_align_slot_t *slot;
    const pair_results_t *results;
} batch_t;

/* job_align_spec.c shows why the counts suffice. */
static identity_value_t from_counts(const batch_t *b, int64_t at, int64_t m, int64_t n)
{
    const job_align_spec_t *spec = &b->job->spec;
    const align_scoring_t *s = &spec->align.scoring;
    int64_t matches = b->results->matches[at], columns = b->results->columns[at], others;
    identity_counts_t counts = {.matches = matches};

    if (columns == 0) /* the pair has no identity */
        return (identity_value_t){0, 0};
    others = columns - matches;
    if (spec->count_ends)
        counts.mismatches = m + n - columns - matches;
    else if (spec->identity != IDENTITY_CDHIT) /* which needs no mismatches */
        counts.mismatches =
            (b->results->score[at] - (int64_t)s->match * matches - s->gap * others) /
            (s->mismatch - s->gap);
    counts.gap_letters = m + n - 2 * (matches + counts.mismatches);
    return identity_def_of_counts(spec->identity, spec->count_ends, &counts, m, n);
}

static identity_value_t from_cigar(const batch_t *b, int64_t at, int64_t m, int64_t n)
{
    const job_align_spec_t *spec = &b->job->spec;
    const int64_t *start = b->results->cigar_start + at;
    identity_counts_t counts;

    if (start[1] == start[0]) /* the pair has no identity */
        return (identity_value_t){0, 0};
    counts = identity_def_count(b->results->cigar + start[0], start[1] - start[0],
                                spec->align.join_columns ? b->results->matches[at] : 0);
    return identity_def_of_counts(spec->identity, spec->count_ends, &counts, m, n);
}

static void convert(void *ctx, int64_t block, int thread)
{
    const batch_t *b = ctx;
    const job_align_t *j = b->job;
    int64_t first = block * BLOCK, n_pairs = b->slot->batch.n;
    int64_t end = first + BLOCK < n_pairs ? first + BLOCK : n_pairs;
    bool has_cigar = j->spec.source == JOB_ALIGN_FROM_CIGAR;

    (void)thread;
    for (int64_t at = first; at < end; at++) {
        int64_t m = seqset_len(j->set, b->slot->pairs[at].query);
        int64_t n = seqset_len(j->set, b->slot->pairs[at].target);
        identity_value_t v =
            has_cigar ? from_cigar(b, at, m, n) : from_counts(b, at, m, n);

        j->identity.numerator[at] = v.denominator > 0 ? (int32_t)v.numerator : 0;
        j->identity.denominator[at] = (int32_t)v.denominator;
    }
}

static status_t reserve(job_align_identity_t *id, int64_t n)
{
    if (n <= id->capacity)
        return ST_OK;
    id->capacity = 0;
    free(id->numerator);
    free(id->denominator);
    id->numerator = malloc((size_t)n * sizeof(*id->numerator));
    id->denominator = malloc((size_t)n * sizeof(*id->denominator));
    if (id->numerator == NULL || id->denominator == NULL)
        return log_nomem("a batch's identities");
    id->capacity = n;
    return ST_OK;
}

status_t job_align_identity_collect(job_align_t *j, const job_align_slot_t *slot,
                                    const pair_results_t *results,
                                    job_align_values_t *out)
{
    batch_t batch = {j, slot, results};
    int64_t n = slot->batch.n;
    status_t st;

    *out = (job_align_values_t){results->matches, results->columns};
    if (j->spec.source == JOB_ALIGN_FROM_CANONICAL || n == 0)
        return ST_OK;
    if ((st = reserve(&j->identity, n)) != ST_OK)
        return st;
    pool_run(j->base.pool, (n + BLOCK - 1) / BLOCK, convert, &batch);
    *out = (job_align_values_t){j->identity.numerator, j->identity.denominator};
    return ST_OK;
}

void job_align_identity_free(job_align_t *j)
{
    free(j->identity.numerator);
    free(j->identity.denominator);
    j->identity.numerator = j->identity.denominator = NULL;
    j->identity.capacity = 0;
}
