/*
 * search_rescore.c - pairs whose scores make them candidates are aligned with scores for
 * their composition (comp_scores.h), which decide whether they are hits.
 *
 * That happens on the CPU, where the sequences are, pair by pair: each has a matrix of
 * its own.
 */
#include "io/base/logmsg.h"
#include "kernels/align/composition/comp_align.h"
#include "kernels/align/search/search_state.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* What a thread has. */
typedef struct {
    comp_align_t *align;
    buf_t runs;
    int64_t last; /* pair of the batch that it has aligned; -1: none */
} thread_t;

/* Where the runs of a pair are. */
typedef struct {
    int thread;
    size_t at, n; /* in the buffer of the thread; runs */
} place_t;

/* A pair of the batch. */
typedef struct {
    int64_t cells, k;
} sized_t;

struct search_rescore {
    const search_context_t *context;
    comp_law_t law;
    int n_threads;
    thread_t *threads; /* [n_threads] */
    place_t *place;    /* [capacity] */
    int32_t *score, *matches, *columns;
    int64_t capacity;
    int64_t *cigar_start; /* [capacity + 1] */
    buf_t cigar;          /* of all pairs, in their order */
    const pair_t *pairs;  /* of the batch, and how many of them are aligned */
    int64_t n_done;
    buf_t order;            /* sized_t of the next ones, the largest first */
    atomic_bool has_failed; /* no memory */
};

status_t search_rescore_create(const search_context_t *c, search_rescore_t **out)
{
    search_rescore_t *r = calloc(1, sizeof(*r));
    status_t st = ST_OK;

    if (r == NULL)
        return log_nomem("scores by composition");
    *out = r;
    r->context = c;
    r->n_threads = pool_n_threads(c->pool);
    r->threads = calloc((size_t)r->n_threads, sizeof(*r->threads));
    if (r->threads == NULL)
        return log_nomem("scores by composition");
    if (!comp_law_find(&c->spec->scoring, &r->law)) {
        log_error("the matrix implies no frequencies of amino acids; give --composition "
                  "off, or another --matrix");
        return ST_EUSAGE;
    }
    for (int k = 0; st == ST_OK && k < r->n_threads; k++)
        st = comp_align_create(c->spec, &r->law, c->composition, c->run.cancel,
                               device_cpu().simd, &r->threads[k].align);
    return st;
}

void search_rescore_destroy(search_rescore_t *r)
{
    if (r == NULL)
        return;
    for (int k = 0; r->threads != NULL && k < r->n_threads; k++) {
        comp_align_destroy(r->threads[k].align);
        buf_free(&r->threads[k].runs);
    }
    free(r->threads);
    free(r->place);
    free(r->score);
    free(r->matches);
    free(r->columns);
    free(r->cigar_start);
    buf_free(&r->cigar);
    buf_free(&r->order);
    free(r);
}

/* @return whether an array has room for n elements; those that it has stay */
static bool grow(void *array, size_t n, size_t bytes)
{
    void *const old = *(void **)array, *grown = realloc(old, n * bytes);

    if (grown != NULL)
        *(void **)array = grown;
    return grown != NULL;
}

static status_t reserve(search_rescore_t *r, int64_t n)
{
    const size_t capacity = (size_t)(n + n / 4 + 1);

    if (n < r->capacity)
        return ST_OK;
    if (!grow(&r->place, capacity, sizeof(*r->place)) ||
        !grow(&r->score, capacity, sizeof(*r->score)) ||
        !grow(&r->matches, capacity, sizeof(*r->matches)) ||
        !grow(&r->columns, capacity, sizeof(*r->columns)) ||
        !grow(&r->cigar_start, capacity + 1, sizeof(*r->cigar_start)))
        return log_nomem("a batch's scores by composition");
    r->capacity = (int64_t)capacity;
    return ST_OK;
}

/* Align pair k of the batch. */
static status_t align_pair(search_rescore_t *r, int64_t k, int thread)
{
    const search_context_t *c = r->context;
    const pair_t p = r->pairs[k];
    const uint8_t *a = seqset_letters(c->set, p.query);
    const uint8_t *b = seqset_letters(c->set, p.target);
    const int64_t m = seqset_len(c->set, p.query), n = seqset_len(c->set, p.target);
    comp_align_t *t = r->threads[thread].align;
    buf_t *runs = &r->threads[thread].runs;
    nw_cell_t cell;
    int64_t score;
    status_t st;

    comp_align_set(t, a, m, b, n);
    if ((st = comp_align_pair(t, a, m, b, n, &cell)) != ST_OK)
        return st;
    score = comp_align_round(cell.score);
    if (score <= 0 || !evalue_reached(c->law, score, m, n, c->max_evalue))
        return ST_OK;
    r->score[k] = (int32_t)score;
    r->matches[k] = (int32_t)cell.matches;
    r->columns[k] = (int32_t)cell.columns;
    if (c->spec->emit != EMIT_CIGAR)
        return ST_OK;
    r->place[k] = (place_t){thread, runs->len, 0};
    st = comp_align_trace(t, a, m, b, n, &cell, runs);
    r->place[k].n = (runs->len - r->place[k].at) / sizeof(uint32_t);
    return st;
}

/* Databases may hold a protein many times. @return whether the pair is that which the
 * thread has aligned before, and has its results */
static bool is_repeated(search_rescore_t *r, int64_t k, int64_t last)
{
    const seqset_t *set = r->context->set;
    const pair_t p = r->pairs[k];
    pair_t before;
    int64_t n;

    if (last < 0)
        return false;
    before = r->pairs[last];
    n = seqset_len(set, p.target);
    if (p.query != before.query || n != seqset_len(set, before.target) ||
        memcmp(seqset_letters(set, p.target), seqset_letters(set, before.target),
               (size_t)n) != 0)
        return false;
    r->score[k] = r->score[last];
    r->matches[k] = r->matches[last];
    r->columns[k] = r->columns[last];
    r->place[k] = r->place[last];
    return true;
}

static void rescore_pair(void *ctx, int64_t i, int thread)
{
    search_rescore_t *r = ctx;
    const int64_t k = ((const sized_t *)(const void *)r->order.data)[i].k;

    if (is_repeated(r, k, r->threads[thread].last))
        return;
    r->threads[thread].last = k;
    r->score[k] = r->matches[k] = r->columns[k] = 0;
    r->place[k] = (place_t){.n = 0};
    if (!align_cancelled(r->context->run.cancel) && align_pair(r, k, thread) != ST_OK)
        atomic_store(&r->has_failed, true);
}

/* Put the runs of all pairs in a row. */
static status_t gather_runs(search_rescore_t *r, int64_t n)
{
    status_t st = ST_OK;

    r->cigar.len = 0;
    for (int64_t k = 0; st == ST_OK && k < n; k++) {
        const place_t *p = &r->place[k];

        r->cigar_start[k] = (int64_t)(r->cigar.len / sizeof(uint32_t));
        if (p->n > 0)
            st = buf_append(&r->cigar, r->threads[p->thread].runs.data + p->at,
                            p->n * sizeof(uint32_t));
    }
    r->cigar_start[n] = (int64_t)(r->cigar.len / sizeof(uint32_t));
    return st;
}

status_t search_rescore_begin(search_rescore_t *r)
{
    r->n_done = 0;
    for (int k = 0; k < r->n_threads; k++) {
        r->threads[k].runs.len = 0;
        r->threads[k].last = -1;
    }
    return reserve(r, 0);
}

static int largest_first(const void *a, const void *b)
{
    const sized_t *x = a, *y = b;

    if (x->cells != y->cells)
        return x->cells > y->cells ? -1 : 1;
    return (x->k > y->k) - (x->k < y->k);
}

/* Order the pairs that are not aligned yet: the threads then end at the same time.
 * Repeated proteins stay neighbours. */
static status_t order_pairs(search_rescore_t *r, int64_t n)
{
    const seqset_t *set = r->context->set;
    status_t st = ST_OK;

    r->order.len = 0;
    for (int64_t k = r->n_done; st == ST_OK && k < n; k++) {
        const sized_t sized = {seqset_len(set, r->pairs[k].query) *
                                   seqset_len(set, r->pairs[k].target),
                               k};

        st = buf_append(&r->order, &sized, sizeof(sized));
    }
    if (st == ST_OK && n > r->n_done)
        qsort(r->order.data, (size_t)(n - r->n_done), sizeof(sized_t), largest_first);
    return st;
}

status_t search_rescore_add(search_rescore_t *r, const pair_t *pairs, int64_t n)
{
    status_t st = reserve(r, n);

    r->pairs = pairs;
    if (st != ST_OK || (st = order_pairs(r, n)) != ST_OK)
        return st;
    pool_run(r->context->pool, n - r->n_done, rescore_pair, r);
    r->n_done = n;
    return atomic_load(&r->has_failed) ? ST_ENOMEM : ST_OK;
}

status_t search_rescore_results(search_rescore_t *r, pair_results_t *out)
{
    const bool has_cigars = r->context->spec->emit == EMIT_CIGAR;
    status_t st;

    if (has_cigars && (st = gather_runs(r, r->n_done)) != ST_OK)
        return st;
    *out = (pair_results_t){.score = r->score,
                            .matches = r->matches,
                            .columns = r->columns,
                            .cigar_start = has_cigars ? r->cigar_start : NULL,
                            .cigar = has_cigars ? (const void *)r->cigar.data : NULL};
    return ST_OK;
}
