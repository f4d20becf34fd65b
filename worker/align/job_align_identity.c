/*
 * job_align_identity.c - the job "align" on a worker: identities by the definition that
 * is in force (io/pairs/identity_def.h), from the cheapest output that determines them.
 *
 * The canonical alignment of sequences of m and n letters has a score S, M matches and C
 * columns.  Let it have X mismatches, d = M + X columns with two letters, and A columns
 * when those of end gaps are counted, too; d of A columns hold two letters, the others
 * one, so A = m + n - d.
 *
 * With counted ends C = A, hence d = m + n - C, whatever the scores.  With free ends and
 * two scores of letters, S = M match + X mismatch + (C - M - X) gap; that gives X, unless
 * mismatch = gap.  So 0, nogaps and what has all columns follow from numbers.
 *
 * Where a gap begins does not follow: 3 and onegap need the alignment, and so does 2
 * with counted ends, where the columns of end gaps are among C.  eachgap without counted
 * ends leaves out the columns before the first with two letters and after the last.
 * These are the end gaps, and it is M / C, where mismatch > gap: gaps of both sequences
 * side by side at an end, of which only the outer one is free, would be worth less than
 * mismatches in place of the inner one.  Else the alignment must tell.
 *
 * With the query's ends counted there is but M / C: none of the definitions is that where
 * the query hangs over, for they treat the ends of both sequences alike.
 */
#include "io/base/logmsg.h"
#include "worker/align/job_align_state.h"

#include <stdlib.h>

enum { BLOCK = 4096 }; /* pairs that a thread takes at a time */

static job_align_source_t source_of(identity_def_t def, bool count_ends,
                                    const align_scoring_t *s)
{
    bool score_tells = s->two_valued && s->mismatch != s->gap;

    if (identity_def_is_canonical(def, count_ends))
        return JOB_ALIGN_AS_IT_IS;
    switch (def) {
    case IDENTITY_CDHIT:
        return JOB_ALIGN_BY_NUMBERS;
    case IDENTITY_ALL_COLUMNS:
    case IDENTITY_BLAST:
    case IDENTITY_NOGAPS:
        return count_ends || score_tells ? JOB_ALIGN_BY_NUMBERS : JOB_ALIGN_BY_ALIGNMENT;
    case IDENTITY_EACHGAP: /* ends do not count */
        return s->two_valued && s->mismatch > s->gap ? JOB_ALIGN_AS_IT_IS
                                                     : JOB_ALIGN_BY_ALIGNMENT;
    default:
        return JOB_ALIGN_BY_ALIGNMENT;
    }
}

void job_align_identity_choose(job_align_t *j)
{
    job_align_identity_t *id = &j->identity;

    id->count_ends = j->opts->ends == ENDS_COUNT;
    id->def =
        j->opts->has_iddef ? j->opts->iddef : identity_def_canonical(id->count_ends);
    id->source = j->opts->emit == EMIT_SCORE
                     ? JOB_ALIGN_AS_IT_IS
                     : source_of(id->def, id->count_ends, &j->spec.scoring);
    if (id->source == JOB_ALIGN_BY_ALIGNMENT)
        j->spec.emit = EMIT_CIGAR;
}

const char *job_align_identity_name(const job_align_t *j)
{
    bool has_none = j->opts->emit == EMIT_SCORE || j->opts->ends == ENDS_QUERY;

    return has_none ? NULL : identity_def_name[j->identity.def];
}

const char *job_align_identity_words(const job_align_t *j)
{
    const job_align_identity_t *id = &j->identity;

    return identity_def_is_canonical(id->def, id->count_ends)
               ? NULL
               : identity_def_words(id->def, id->count_ends);
}

/*
 * The filter is proved for M >= c C of the canonical alignment.  So it holds for another
 * definition only if a pair that reaches c by this one does so by M / C, too.
 *
 * 1, 4 and all else that is M / A: yes, as A >= C.  More is true: d columns of two
 * letters and A - d of one are an alignment of all letters, which is what the bounds for
 * counted ends are about; they hold for every alignment, whatever its score.  So ends
 * are counted for the filter, which rules out more.  (min_overlap, which it then does
 * not look at, could only rule out others.)
 *
 * 2 with counted ends, nogaps, onegap: no.  Their columns are some of C, so that they
 * may be more than M / C.  eachgap without counted ends: likewise, unless it is M / C.
 *
 * 0: no.  The shorter sequence's letters may be fewer than C: of 10 letters, 9 of which
 * match the other 9, they are 9, and C is 10.
 *
 * 3: no.  A gap counts once, however long: of one of 100 letters between 200 matches,
 * it is 1 - 1 / 300, and M / C is 200 / 300.
 *
 * With the query's ends counted there is one definition, M / C.
 */
bool job_align_identity_filtered(const job_align_t *j, align_spec_t *out)
{
    const job_align_identity_t *id = &j->identity;
    bool has_all = id->def == IDENTITY_ALL_COLUMNS || id->def == IDENTITY_BLAST;

    *out = j->spec;
    if (has_all)
        out->ends = ENDS_COUNT;
    return has_all || id->source == JOB_ALIGN_AS_IT_IS;
}

int64_t job_align_identity_bytes(const job_align_t *j)
{
    return j->identity.source == JOB_ALIGN_AS_IT_IS ? 0 : 2 * (int64_t)sizeof(int32_t);
}

typedef struct {
    const job_align_t *job;
    const job_align_slot_t *slot;
    const pair_results_t *results;
} batch_t;

static identity_value_t by_numbers(const batch_t *b, int64_t at, int64_t m, int64_t n)
{
    const job_align_identity_t *id = &b->job->identity;
    const align_scoring_t *s = &b->job->spec.scoring;
    int64_t matches = b->results->matches[at], columns = b->results->columns[at], others;
    identity_counts_t counts = {.matches = matches};

    if (columns == 0) /* it has no identity */
        return (identity_value_t){0, 0};
    others = columns - matches;
    if (id->count_ends)
        counts.mismatches = m + n - columns - matches;
    else if (id->def != IDENTITY_CDHIT) /* which may have a matrix */
        counts.mismatches =
            (b->results->score[at] - (int64_t)s->match * matches - s->gap * others) /
            (s->mismatch - s->gap);
    counts.gap_letters = m + n - 2 * (matches + counts.mismatches);
    return identity_def_of_counts(id->def, id->count_ends, &counts, m, n);
}

static identity_value_t by_alignment(const batch_t *b, int64_t at, int64_t m, int64_t n)
{
    const job_align_identity_t *id = &b->job->identity;
    const int64_t *start = b->results->cigar_start + at;

    if (start[1] == start[0]) /* it has no identity */
        return (identity_value_t){0, 0};
    return identity_def_value(id->def, id->count_ends, b->results->cigar + start[0],
                              start[1] - start[0], m, n);
}

static void convert(void *ctx, int64_t item, int thread)
{
    const batch_t *b = ctx;
    const job_align_t *j = b->job;
    int64_t first = item * BLOCK, n_pairs = b->slot->batch.n;
    int64_t end = first + BLOCK < n_pairs ? first + BLOCK : n_pairs;
    bool by_cigar = j->identity.source == JOB_ALIGN_BY_ALIGNMENT;

    (void)thread;
    for (int64_t at = first; at < end; at++) {
        int64_t m = seqset_len(j->set, b->slot->pairs[at].query);
        int64_t n = seqset_len(j->set, b->slot->pairs[at].target);
        identity_value_t v =
            by_cigar ? by_alignment(b, at, m, n) : by_numbers(b, at, m, n);

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
    if (j->identity.source == JOB_ALIGN_AS_IT_IS || n == 0)
        return ST_OK;
    if ((st = reserve(&j->identity, n)) != ST_OK)
        return st;
    pool_run(j->pool, (n + BLOCK - 1) / BLOCK, convert, &batch);
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
