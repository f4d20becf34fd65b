/*
 * job_align_hits.c - the job "align" turns the results of a sparse run into hits, and
 * hits into records of the log.
 */
#include "worker/align/job_align_results.h"

#include "io/base/logmsg.h"

#include <stdlib.h>

status_t job_align_hits_prepare(job_align_t *j)
{
    if (!j->is_sparse || j->opts->top == 0)
        return ST_OK;
    return pairs_top_create(j->n_queries, j->opts->top, &j->hits.top);
}

static status_t reserve(job_align_hits_t *h, const job_align_slot_t *slot)
{
    size_t n_tiles = (size_t)slot->n_tiles, n = (size_t)slot->batch.n;

    if (slot->n_tiles > h->tiles_capacity) {
        h->tiles_capacity = 0;
        free(h->first);
        free(h->n);
        free(h->n_without);
        free(h->dropped);
        h->first = malloc(n_tiles * sizeof(*h->first));
        h->n = malloc(n_tiles * sizeof(*h->n));
        h->n_without = malloc(n_tiles * sizeof(*h->n_without));
        h->dropped = malloc(n_tiles * sizeof(*h->dropped));
        if (h->first == NULL || h->n == NULL || h->n_without == NULL ||
            h->dropped == NULL)
            return log_nomem("a batch's hits");
        h->tiles_capacity = slot->n_tiles;
    }
    if (slot->batch.n > h->pairs_capacity) {
        h->pairs_capacity = 0;
        free(h->hits);
        free(h->pair);
        h->hits = malloc(n * sizeof(*h->hits));
        h->pair = malloc(n * sizeof(*h->pair));
        if (h->hits == NULL || h->pair == NULL)
            return log_nomem("a batch's hits");
        h->pairs_capacity = slot->batch.n;
    }
    return ST_OK;
}

typedef struct {
    const job_align_t *job;
    const job_align_slot_t *slot;
    const pair_results_t *results;
    const job_align_values_t *values;
} tiles_t;

static pairs_hit_t result_at(const tiles_t *t, int64_t at)
{
    const job_align_t *j = t->job;
    const pair_t *pair = &t->slot->pairs[at];
    bool is_reverse = j->n_strands > 1 && pair->query >= j->n_queries;
    int64_t row = is_reverse ? pair->query - j->n_queries : pair->query;

    return (pairs_hit_t){.row = (int32_t)row,
                         .col = pair->target,
                         .score = t->results->score[at],
                         .matches = t->values->numerator[at],
                         .columns = t->values->denominator[at],
                         .strand = is_reverse ? -1 : 1};
}

/* Compare the query's alignment with the next one, that of its reverse complement.  The
 * alignments are compared, not their identities, which --iddef may define otherwise. */
static bool reverse_is_better(const tiles_t *t, int64_t forward)
{
    const int32_t *score = t->results->score + forward;
    const int32_t *matches = t->results->matches + forward;

    return score[1] != score[0] ? score[1] > score[0] : matches[1] > matches[0];
}

/* As job_align_hits_at. */
static int64_t hit_at(const tiles_t *t, int64_t at, pairs_hit_t *out)
{
    at += t->job->n_strands > 1 && reverse_is_better(t, at);
    *out = result_at(t, at);
    return at;
}

int64_t job_align_hits_at(const job_align_t *j, const job_align_slot_t *slot,
                          const pair_results_t *results, const job_align_values_t *values,
                          int64_t at, pairs_hit_t *out)
{
    const tiles_t tiles = {j, slot, results, values};

    return hit_at(&tiles, at, out);
}

/* Keep the hits among a tile's results. */
static void pick(void *ctx, int64_t k, int thread)
{
    static const fraction_t any = {0, 1}; /* every identity, but there has to be one */
    const tiles_t *t = ctx;
    const job_align_t *j = t->job;
    const fraction_t *min_identity =
        j->opts->min_identity.denominator != 0 ? &j->opts->min_identity : &any;
    int64_t first = t->slot->first_pair[k], end = t->slot->first_pair[k + 1];
    int64_t out = first, n_without = 0;

    (void)thread;
    for (int64_t at = first; at < end; at += j->n_strands) {
        pairs_hit_t hit;
        int64_t pair = hit_at(t, at, &hit);

        n_without += hit.columns == 0;
        if (!fraction_reached(min_identity, hit.matches, hit.columns))
            continue;
        if (j->hits.top != NULL && !pairs_top_note(j->hits.top, &hit))
            continue;
        j->hits.hits[out] = hit;
        j->hits.pair[out++] = pair;
    }
    j->hits.first[k] = first;
    j->hits.n[k] = out - first;
    j->hits.n_without[k] = n_without;
    j->hits.dropped[k] = t->slot->dropped[k];
}

status_t job_align_hits_collect(job_align_t *j, const job_align_slot_t *slot,
                                const pair_results_t *results,
                                const job_align_values_t *values)
{
    tiles_t tiles = {j, slot, results, values};
    status_t st = reserve(&j->hits, slot);

    if (st == ST_OK)
        pool_run(j->pool, slot->n_tiles, pick, &tiles);
    return st;
}

static status_t append_hit(const job_align_t *j, int64_t at, pairs_hits_t *out)
{
    pairs_entry_t entry = {.hit = j->hits.hits[at], .text_at = (int64_t)out->text.len};
    status_t st = ST_OK;

    if (j->opts->emit == EMIT_CIGAR)
        st = job_align_cigar_append(j, j->hits.pair[at], &out->text);
    entry.text_len = (int32_t)((int64_t)out->text.len - entry.text_at);
    return st == ST_OK ? buf_append(&out->entries, &entry, sizeof(entry)) : st;
}

status_t job_align_hits_pack(job_align_t *j, int k, int thread, buf_t *out)
{
    const job_align_hits_t *h = &j->hits;
    pairs_hits_t record = {.n_without_identity = h->n_without[k]};
    status_t st;

    (void)thread;
    for (int s = 0; s < PAIRS_STAGES_MAX; s++)
        record.n_dropped[s] = h->dropped[k].n[s];
    st = buf_reserve(&record.entries, (size_t)h->n[k] * sizeof(pairs_entry_t));
    for (int64_t at = h->first[k]; st == ST_OK && at < h->first[k] + h->n[k]; at++)
        st = append_hit(j, at, &record);
    if (st == ST_OK)
        st = pairs_hits_pack(&record, out);
    pairs_hits_free(&record);
    return st;
}

void job_align_hits_free(job_align_t *j)
{
    job_align_hits_t *h = &j->hits;

    free(h->hits);
    free(h->pair);
    free(h->first);
    free(h->n);
    free(h->n_without);
    free(h->dropped);
    pairs_top_destroy(h->top);
    *h = (job_align_hits_t){0};
}
