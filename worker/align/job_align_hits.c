/*
 * job_align_hits.c - the job "align" turns the results of a sparse run into hits, and
 * hits into records of the log.
 */
#include "worker/align/job_align_results.h"

#include "io/base/logmsg.h"

#include <stdatomic.h>
#include <stdlib.h>

pairs_order_t job_align_top_order(const job_align_t *j)
{
    return j->opts->ends == ENDS_LOCAL ? PAIRS_BY_SCORE : PAIRS_BY_IDENTITY;
}

status_t job_align_hits_prepare(job_align_t *j)
{
    if (!j->is_sparse || j->opts->top == 0)
        return ST_OK;
    return pairs_top_create(job_align_top_order(j), j->n_queries, j->opts->top, &j->top);
}

static status_t reserve(job_align_hits_t *h, const job_align_slot_t *slot)
{
    size_t n_tiles = (size_t)slot->n_tiles, n = (size_t)slot->batch.n;

    if (slot->n_tiles > h->tiles_capacity) {
        h->tiles_capacity = 0;
        free(h->first);
        free(h->n);
        free(h->dropped);
        h->first = malloc(n_tiles * sizeof(*h->first));
        h->n = malloc(n_tiles * sizeof(*h->n));
        h->dropped = malloc(n_tiles * sizeof(*h->dropped));
        if (h->first == NULL || h->n == NULL || h->dropped == NULL)
            return log_nomem("a batch's hits");
        h->tiles_capacity = slot->n_tiles;
    }
    if (slot->batch.n > h->pairs_capacity) {
        h->pairs_capacity = 0;
        free(h->hits);
        free(h->text_len);
        h->hits = malloc(n * sizeof(*h->hits));
        h->text_len = malloc(n * sizeof(*h->text_len));
        if (h->hits == NULL || h->text_len == NULL)
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
    job_align_collected_t *out; /* NULL: not used */
    atomic_bool has_failed;     /* no memory */
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
    const tiles_t tiles = {.job = j, .slot = slot, .results = results, .values = values};

    return hit_at(&tiles, at, out);
}

/* @param at  index of the hit @param pair  of its alignment in the batch */
static bool keep(const tiles_t *t, int64_t k, const pairs_hit_t *hit, int64_t pair,
                 int64_t at)
{
    job_align_hits_t *h = &t->out->hits;
    buf_t *text = &t->out->texts[k];
    size_t before = text->len;

    if (job_align_cigar_is_stored(t->job) &&
        job_align_cigar_append(t->job, t->results, pair, text) != ST_OK)
        return false;
    h->hits[at] = *hit;
    h->text_len[at] = (int32_t)(text->len - before);
    return true;
}

/* Keep the hits among a tile's results. */
static void pick(void *ctx, int64_t k, int thread)
{
    static const fraction_t any = {0, 1}; /* every identity, but there has to be one */
    tiles_t *t = ctx;
    const job_align_t *j = t->job;
    job_align_hits_t *h = &t->out->hits;
    const fraction_t *min_identity =
        j->opts->min_identity.denominator != 0 ? &j->opts->min_identity : &any;
    int64_t first = t->slot->first_pair[k], end = t->slot->first_pair[k + 1];
    int64_t out = first, n_without = 0;

    (void)thread;
    t->out->texts[k].len = 0;
    for (int64_t at = first; at < end; at += j->n_strands) {
        pairs_hit_t hit;
        int64_t pair = hit_at(t, at, &hit);

        n_without += hit.columns == 0;
        if (!fraction_reached(min_identity, hit.matches, hit.columns))
            continue;
        if (j->top != NULL && !pairs_top_note(j->top, &hit))
            continue;
        if (!keep(t, k, &hit, pair, out++))
            atomic_store(&t->has_failed, true);
    }
    h->first[k] = first;
    h->n[k] = out - first;
    h->dropped[k] = t->slot->dropped[k];
    t->out->n_without[k] = n_without;
}

status_t job_align_hits_collect(job_align_t *j, const job_align_slot_t *slot,
                                const pair_results_t *results,
                                const job_align_values_t *values,
                                job_align_collected_t *out)
{
    tiles_t tiles = {
        .job = j, .slot = slot, .results = results, .values = values, .out = out};
    status_t st = reserve(&out->hits, slot);

    if (st != ST_OK)
        return st;
    pool_run(j->base.pool, slot->n_tiles, pick, &tiles);
    return atomic_load(&tiles.has_failed) ? ST_ENOMEM : ST_OK;
}

status_t job_align_hits_pack(const job_align_collected_t *c, int k, buf_t *out)
{
    const job_align_hits_t *h = &c->hits;
    pairs_hits_t record = {.n_without_identity = c->n_without[k], .text = c->texts[k]};
    int64_t text_at = 0;
    status_t st;

    for (int s = 0; s < PAIRS_STAGES_MAX; s++)
        record.n_dropped[s] = h->dropped[k].n[s];
    st = buf_reserve(&record.entries, (size_t)h->n[k] * sizeof(pairs_entry_t));
    for (int64_t at = h->first[k]; st == ST_OK && at < h->first[k] + h->n[k]; at++) {
        const pairs_entry_t entry = {h->hits[at], h->text_len[at], text_at};

        text_at += entry.text_len;
        st = buf_append(&record.entries, &entry, sizeof(entry));
    }
    if (st == ST_OK)
        st = pairs_hits_pack(&record, out);
    buf_free(&record.entries); /* the text is not its own */
    return st;
}

void job_align_hits_free(job_align_hits_t *h)
{
    free(h->hits);
    free(h->text_len);
    free(h->first);
    free(h->n);
    free(h->dropped);
    *h = (job_align_hits_t){0};
}
