/*
 * job_align_hits.c - the job "align" turns the results of a sparse run into hits, hits
 * into records of the log, and CIGARs into text.
 */
#include "worker/align/job_align_batch.h"

#include "io/base/logmsg.h"

#include <stdatomic.h>
#include <stdlib.h>

pairs_order_t job_align_top_order(const job_align_t *j)
{
    return j->opts->ends == ENDS_LOCAL ? PAIRS_BY_SCORE : PAIRS_BY_IDENTITY;
}

bool job_align_cigar_is_stored(const job_align_t *j)
{
    return j->opts->emit == EMIT_CIGAR;
}

status_t job_align_cigar_append(const job_align_t *j, const pair_results_t *results,
                                int64_t pair, buf_t *text)
{
    int64_t first = results->cigar_start[pair], end = results->cigar_start[pair + 1];

    return end > first ? cigar_append_text(results->cigar + first, end - first,
                                           j->opts->cigar_style, text)
                       : ST_OK;
}

static status_t reserve(job_align_hits_t *h, const search_batch_t *batch)
{
    size_t n_tiles = (size_t)batch->n_tiles, n = (size_t)batch->batch.n;

    if (batch->n_tiles > h->tiles_capacity) {
        h->tiles_capacity = 0;
        free(h->first);
        free(h->n);
        free(h->dropped);
        h->first = malloc(n_tiles * sizeof(*h->first));
        h->n = malloc(n_tiles * sizeof(*h->n));
        h->dropped = malloc(n_tiles * sizeof(*h->dropped));
        if (h->first == NULL || h->n == NULL || h->dropped == NULL)
            return log_nomem("a batch's hits");
        h->tiles_capacity = batch->n_tiles;
    }
    if (batch->batch.n > h->pairs_capacity) {
        h->pairs_capacity = 0;
        free(h->hits);
        free(h->text_len);
        h->hits = malloc(n * sizeof(*h->hits));
        h->text_len = malloc(n * sizeof(*h->text_len));
        if (h->hits == NULL || h->text_len == NULL)
            return log_nomem("a batch's hits");
        h->pairs_capacity = batch->batch.n;
    }
    return ST_OK;
}

typedef struct {
    const job_align_t *job;
    const search_batch_t *batch;
    const pair_results_t *results;
    const search_values_t *values;
    job_align_collected_t *out;
    atomic_bool has_failed; /* no memory */
} tiles_t;

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
    tiles_t *t = ctx;
    const job_align_t *j = t->job;
    job_align_hits_t *h = &t->out->hits;
    int64_t first = t->batch->first_pair[k], end = t->batch->first_pair[k + 1];
    int64_t out = first, n_without = 0;

    (void)thread;
    t->out->texts[k].len = 0;
    for (int64_t at = first; at < end; at += j->n_strands) {
        pairs_hit_t hit;
        int64_t pair =
            search_pick(j->search, &t->batch->batch, t->results, t->values, at, &hit);

        n_without += hit.columns == 0;
        if (search_keeps(j->search, &hit) && !keep(t, k, &hit, pair, out++))
            atomic_store(&t->has_failed, true);
    }
    h->first[k] = first;
    h->n[k] = out - first;
    h->dropped[k] = t->batch->dropped[k];
    t->out->n_without[k] = n_without;
}

status_t job_align_hits_collect(job_align_t *j, const search_batch_t *batch,
                                const pair_results_t *results,
                                const search_values_t *values, job_align_collected_t *out)
{
    tiles_t tiles = {
        .job = j, .batch = batch, .results = results, .values = values, .out = out};
    status_t st = reserve(&out->hits, batch);

    if (st != ST_OK)
        return st;
    pool_run(j->pool, batch->n_tiles, pick, &tiles);
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
