/*
 * class_hits.c - aligns reads with references of candidate classes, and sorts the hits.
 */
#include "worker/classify/class_hits.h"

#include "io/base/logmsg.h"
#include "worker/classify/class_hits_state.h"

#include <stdlib.h>
#include <string.h>

/* Pairs in a batch of the aligner: limits the memory. */
enum { BATCH_PAIRS = 1 << 19 };

align_context_t class_hits_align_context(const class_hits_t *h)
{
    return (align_context_t){h->context.device, h->context.pool, h->context.set, &h->spec,
                             h->context.run};
}

static bool contains(const int32_t *sorted, int64_t n, int32_t value)
{
    int64_t low = 0, high = n;

    while (low < high) {
        const int64_t middle = (low + high) / 2;

        if (sorted[middle] < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low < n && sorted[low] == value;
}

bool class_hits_may_have(const class_hits_t *h, const class_query_t *q, int32_t ref)
{
    return h->context.class_of[ref] >= 0 && !contains(q->removed, q->n_removed, ref);
}

status_t class_hits_want_candidates(class_hits_t *h, const class_query_t *queries,
                                    int32_t query)
{
    const class_query_t *q = &queries[query];
    status_t st = ST_OK;

    for (int32_t k = 0; k < q->n_classes; k++)
        for (int64_t i = h->class_first[q->classes[k]];
             st == ST_OK && i < h->class_first[q->classes[k] + 1]; i++) {
            const int32_t ref = h->members[i];
            const class_pair_t wanted = {{q->row, (int32_t)(h->context.first_ref + ref)},
                                         query};

            if (class_hits_may_have(h, q, ref))
                st = buf_append(&h->wanted, &wanted, sizeof(wanted));
        }
    return st;
}

typedef struct {
    const class_pair_t *wanted;
    pair_batch_t batch;
} flight_t;

/* Submit the wanted pairs from `first` on. @param place  of the batch */
static status_t submit(class_hits_t *h, int64_t first, int place, flight_t *out)
{
    const class_pair_t *wanted = (const void *)h->wanted.data;
    const int64_t n_left = (int64_t)(h->wanted.len / sizeof(*wanted)) - first;
    const int64_t n = n_left < BATCH_PAIRS ? n_left : BATCH_PAIRS;
    buf_t *buf = &h->pairs[place];
    pair_t *pairs;
    status_t st;

    buf->len = 0;
    if ((st = buf_reserve(buf, (size_t)n * sizeof(*pairs))) != ST_OK)
        return st;
    pairs = (void *)buf->data;
    for (int64_t i = 0; i < n; i++)
        pairs[i] = wanted[first + i].pair;
    *out = (flight_t){wanted + first, {pairs, n}};
    return aligner_submit(h->aligner, &out->batch);
}

/* Wait for the oldest batch, and keep its hits. */
static status_t collect(class_hits_t *h, const flight_t *flight)
{
    pair_results_t r;
    status_t st = aligner_wait(h->aligner, &r);

    if (st != ST_OK)
        return st;
    if (align_cancelled(h->context.run.cancel))
        return ST_ESTOPPED;
    st = buf_reserve(&h->found, (size_t)flight->batch.n * sizeof(class_found_t));
    for (int64_t i = 0; st == ST_OK && i < flight->batch.n; i++) {
        const class_pair_t *w = &flight->wanted[i];
        const int32_t ref = (int32_t)(w->pair.target - h->context.first_ref);
        const class_found_t found = {{ref, h->context.class_of[ref], r.matches[i],
                                      r.columns[i]},
                                     w->query};

        if (r.columns[i] > 0)
            st = buf_append(&h->found, &found, sizeof(found));
    }
    return st;
}

status_t class_hits_align(class_hits_t *h)
{
    const int64_t n = (int64_t)(h->wanted.len / sizeof(class_pair_t));
    const int depth = aligner_depth(h->aligner);
    flight_t flights[ALIGNER_DEPTH] = {{0}};
    int64_t submitted = 0, n_submitted = 0, n_waited = 0;
    status_t st = ST_OK;

    while (st == ST_OK && (submitted < n || n_waited < n_submitted)) {
        if (submitted < n && n_submitted - n_waited < depth) {
            flight_t *f = &flights[n_submitted % ALIGNER_DEPTH];

            st = submit(h, submitted, (int)(n_submitted % ALIGNER_DEPTH), f);
            submitted += f->batch.n;
            n_submitted++;
        } else {
            st = collect(h, &flights[n_waited++ % ALIGNER_DEPTH]);
        }
    }
    h->wanted.len = 0;
    return st;
}

static int by_quality(const void *a, const void *b)
{
    const class_hit_t *x = a, *y = b;
    const int order = class_hits_compare(y, x);

    return order != 0 ? order : (x->ref > y->ref) - (x->ref < y->ref);
}

static void sort_query(void *ctx, int64_t q, int thread)
{
    const class_hits_results_t *r = ctx;

    (void)thread;
    if (r->first[q + 1] > r->first[q])
        qsort(r->hits + r->first[q], (size_t)(r->first[q + 1] - r->first[q]),
              sizeof(*r->hits), by_quality);
}

status_t class_hits_sort(class_hits_t *h, int64_t n, class_hits_results_t *out)
{
    const class_found_t *found = (const void *)h->found.data;
    const int64_t n_found = (int64_t)(h->found.len / sizeof(*found));
    class_hits_results_t r;
    status_t st;

    h->first.len = h->hits.len = 0;
    if ((st = buf_reserve(&h->first, ((size_t)n + 1) * sizeof(*r.first))) != ST_OK ||
        (st = buf_reserve(&h->hits, ((size_t)n_found + 1) * sizeof(*r.hits))) != ST_OK)
        return st;
    r = (class_hits_results_t){(void *)h->first.data, (void *)h->hits.data};
    memset(r.first, 0, ((size_t)n + 1) * sizeof(*r.first));
    for (int64_t i = 0; i < n_found; i++)
        r.first[found[i].query + 1]++;
    for (int64_t q = 0; q < n; q++)
        r.first[q + 1] += r.first[q];
    for (int64_t i = 0; i < n_found; i++)
        r.hits[r.first[found[i].query]++] = found[i].hit;
    memmove(r.first + 1, r.first, (size_t)n * sizeof(*r.first));
    r.first[0] = 0;
    pool_run(h->context.pool, n, sort_query, &r);
    *out = r;
    return ST_OK;
}

status_t class_hits_among(class_hits_t *h, const class_query_t *queries, int64_t n,
                          class_hits_results_t *out)
{
    status_t st = ST_OK;

    h->wanted.len = h->found.len = 0;
    for (int64_t q = 0; st == ST_OK && q < n; q++)
        st = class_hits_want_candidates(h, queries, (int32_t)q);
    if (st == ST_OK)
        st = class_hits_align(h);
    return st == ST_OK ? class_hits_sort(h, n, out) : st;
}

int64_t class_hits_top(const class_hit_t *hits, int64_t n, int64_t n_best)
{
    int64_t end = n_best < n ? n_best : n;

    while (end > 0 && end < n && class_hits_compare(&hits[end], &hits[end - 1]) == 0)
        end++;
    return end;
}

class_hits_rivals_t class_hits_rivals(const nbc_classes_t *classes,
                                      const class_hit_t *hits, int64_t n,
                                      int32_t class_number, int rank)
{
    const int32_t taxon = nbc_classes_at(classes, class_number, rank);
    class_hits_rivals_t r = {NULL, NULL};

    for (int64_t i = 0; i < n && (r.own == NULL || r.rival == NULL); i++) {
        const bool is_own = nbc_classes_at(classes, hits[i].class_number, rank) == taxon;

        if (is_own && r.own == NULL)
            r.own = &hits[i];
        if (!is_own && r.rival == NULL)
            r.rival = &hits[i];
    }
    return r;
}
