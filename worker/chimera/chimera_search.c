/*
 * chimera_search.c - quarters of reads through the search, and whole reads through an
 * aligner with CIGARs.
 */
#include "worker/chimera/chimera_search.h"

#include "io/base/compare.h"
#include "io/base/logmsg.h"
#include "kernels/align/search/search.h"
#include "kernels/chimera/parent_contest.h"

#include <stdlib.h>
#include <string.h>

/* Whole reads that are aligned at a time. */
enum { PAIRS_PER_BATCH = 1 << 14 };

struct chimera_search {
    chimera_search_context_t context;
    seqset_t *set; /* quarters, reads, and targets unless they are the reads */
    int64_t first_read, first_target;
    int32_t *group_of; /* [targets] each is a group of its own */
    align_spec_t quarter_spec, whole_spec;
    search_t *quarters;
    aligner_t *whole;
    buf_t queries; /* search_query_t of quarters */
    buf_t pairs;   /* pair_t of reads and candidates */
    buf_t found;   /* found_t */
};

/* The hits of a read's quarters, and its candidates. */
typedef struct {
    int32_t target[CHIMERA_QUARTERS][CHIMERA_HITS_MAX];
    int n[CHIMERA_QUARTERS];
    int32_t candidate[CHIMERA_CANDIDATES_MAX]; /* ascending */
    int n_candidates;
} found_t;

/* ---- the set ---- */

/* Reads that are too short are copied as a whole: they are no queries. */
static status_t add_quarters(seqset_builder_t *b, const seqset_t *reads)
{
    status_t st = ST_OK;

    for (int64_t i = 0; i < reads->n; i++) {
        const int64_t len = seqset_len(reads, i);
        const bool is_short = len < CONTEST_WINDOW;

        for (int64_t k = 0; st == ST_OK && k < CHIMERA_QUARTERS; k++) {
            const int64_t first = is_short ? 0 : len * k / CHIMERA_QUARTERS;
            const int64_t end = is_short ? len : len * (k + 1) / CHIMERA_QUARTERS;

            st = seqset_builder_add(b, "", 0, seqset_letters(reads, i) + first,
                                    (size_t)(end - first));
        }
    }
    return st;
}

static status_t add_set(seqset_builder_t *b, const seqset_t *set)
{
    status_t st = ST_OK;

    for (int64_t i = 0; st == ST_OK && i < set->n; i++)
        st = seqset_builder_add(b, "", 0, seqset_letters(set, i),
                                (size_t)seqset_len(set, i));
    return st;
}

static status_t make_set(chimera_search_t *s)
{
    const seqset_t *reads = s->context.reads, *targets = s->context.targets;
    seqset_builder_t b = {.alphabet = ALPHABET_DNA};
    status_t st = add_quarters(&b, reads);

    s->first_read = CHIMERA_QUARTERS * reads->n;
    s->first_target = targets == reads ? s->first_read : s->first_read + reads->n;
    if (st == ST_OK)
        st = add_set(&b, reads);
    if (st == ST_OK && targets != reads)
        st = add_set(&b, targets);
    if (st == ST_OK)
        st = seqset_builder_finish(&b, &s->set);
    seqset_builder_free(&b);
    if (st != ST_OK)
        return st;
    s->group_of = malloc(((size_t)targets->n + 1) * sizeof(*s->group_of));
    if (s->group_of == NULL)
        return log_nomem("possible parents");
    for (int32_t i = 0; i < targets->n; i++)
        s->group_of[i] = i;
    return ST_OK;
}

/* ---- creation ---- */

static status_t create_search(chimera_search_t *s)
{
    const chimera_search_context_t *c = &s->context;
    const search_context_t context = {.device = c->device,
                                      .pool = c->pool,
                                      .run = {.band = true, .cancel = c->cancel},
                                      .set = s->set,
                                      .n_queries = s->first_target,
                                      .first_target = s->first_target,
                                      .n_strands = 1,
                                      .spec = &s->quarter_spec,
                                      .filter = &s->quarter_spec,
                                      .min_identity = {CHIMERA_MIN_IDENTITY, 100},
                                      .n_best = c->n_hits,
                                      .order = PAIRS_BY_IDENTITY,
                                      .aligner = {.kernel = c->kernel},
                                      .group_of = s->group_of};

    s->quarter_spec = (align_spec_t){
        .emit = EMIT_IDENTITY, .ends = ENDS_QUERY, .min_overlap = {0, 1}};
    align_scoring_set(&s->quarter_spec.scoring, AMBIGUITY_N_MISMATCH, 4, -5, -7);
    return search_create(&context, &s->quarters);
}

static status_t create_aligner(chimera_search_t *s)
{
    const chimera_search_context_t *c = &s->context;
    const align_context_t context = {
        c->device, c->pool, s->set, &s->whole_spec, {.band = true, .cancel = c->cancel}};
    const aligner_options_t options = {.kernel = c->kernel};

    s->whole_spec = (align_spec_t){.emit = EMIT_CIGAR,
                                   .ends = ENDS_PRICED,
                                   .end_gap = {-2, -1},
                                   .min_overlap = {0, 1},
                                   .join_columns = true};
    align_scoring_set(&s->whole_spec.scoring, AMBIGUITY_NEUTRAL, 2, -4, -2);
    align_scoring_set_gap(&s->whole_spec.scoring, (align_gap_t){-20, -2});
    return aligner_create(&context, &options, &s->whole);
}

status_t chimera_search_create(const chimera_search_context_t *context,
                               chimera_search_t **out)
{
    chimera_search_t *s = calloc(1, sizeof(*s));
    status_t st;

    if (s == NULL)
        return log_nomem("possible parents");
    s->context = *context;
    st = make_set(s);
    if (st == ST_OK)
        st = create_search(s);
    if (st == ST_OK)
        st = create_aligner(s);
    if (st != ST_OK) {
        chimera_search_destroy(s);
        return st;
    }
    *out = s;
    return ST_OK;
}

void chimera_search_destroy(chimera_search_t *s)
{
    if (s == NULL)
        return;
    search_destroy(s->quarters);
    aligner_destroy(s->whole);
    seqset_destroy(s->set);
    free(s->group_of);
    buf_free(&s->queries);
    buf_free(&s->pairs);
    buf_free(&s->found);
    free(s);
}

const char *chimera_search_kernel(const chimera_search_t *s)
{
    return search_kernel(s->quarters);
}

double chimera_search_guess(const chimera_search_t *s)
{
    return search_guess(s->quarters);
}

/* ---- hits of quarters ---- */

static bool may_have_parents(const chimera_search_t *s, const chimera_query_t *q)
{
    return q->n_targets > 0 && seqset_len(s->context.reads, q->read) >= CONTEST_WINDOW;
}

static status_t list_queries(chimera_search_t *s, const chimera_query_t *queries,
                             int64_t n)
{
    search_query_t *to;
    status_t st;

    s->queries.len = 0;
    if ((st = buf_reserve(&s->queries, (size_t)(CHIMERA_QUARTERS * n + 1) *
                                           sizeof(*to))) != ST_OK)
        return st;
    to = (void *)s->queries.data;
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k < CHIMERA_QUARTERS; k++) {
            const chimera_query_t *q = &queries[i];
            const int64_t row = CHIMERA_QUARTERS * q->read + k;

            *to++ = (search_query_t){.row = may_have_parents(s, q) ? (int32_t)row : -1,
                                     .removed = q->removed,
                                     .n_removed = q->n_removed,
                                     .n_targets = q->n_targets};
        }
    return ST_OK;
}

static void add_candidate(found_t *f, int32_t target)
{
    for (int k = 0; k < f->n_candidates; k++)
        if (f->candidate[k] == target)
            return;
    f->candidate[f->n_candidates++] = target;
}

static found_t take_hits(const chimera_search_t *s, const search_hits_t *hits, int64_t i)
{
    found_t f = {.n_candidates = 0};

    for (int k = 0; k < CHIMERA_QUARTERS; k++) {
        const int64_t *first = hits->first + CHIMERA_QUARTERS * i + k;

        for (int64_t h = first[0]; h < first[1] && f.n[k] < s->context.n_hits; h++) {
            const int32_t target = (int32_t)(hits->hits[h].col - s->first_target);

            f.target[k][f.n[k]++] = target;
            add_candidate(&f, target);
        }
    }
    qsort(f.candidate, (size_t)f.n_candidates, sizeof(*f.candidate), compare_int32);
    return f;
}

/* List the pairs of reads and candidates as well. */
static status_t find_quarters(chimera_search_t *s, const chimera_query_t *queries,
                              int64_t n)
{
    search_hits_t hits;
    status_t st = list_queries(s, queries, n);

    if (st == ST_OK)
        st = search_find(s->quarters, (const void *)s->queries.data, CHIMERA_QUARTERS * n,
                         &hits);
    s->found.len = s->pairs.len = 0;
    for (int64_t i = 0; st == ST_OK && i < n; i++) {
        const found_t f = take_hits(s, &hits, i);

        st = buf_append(&s->found, &f, sizeof(f));
        for (int k = 0; st == ST_OK && k < f.n_candidates; k++) {
            const pair_t pair = {(int32_t)(s->first_read + queries[i].read),
                                 (int32_t)(s->first_target + f.candidate[k])};

            st = buf_append(&s->pairs, &pair, sizeof(pair));
        }
    }
    return st;
}

/* ---- whole reads ---- */

/* What is being written: candidate `at` of read `read`. */
typedef struct {
    const found_t *found;
    int64_t read, n_reads;
    int at;
    size_t start;
    buf_t *out;
} writing_t;

static status_t begin_entry(writing_t *w)
{
    const found_t *f = &w->found[w->read];

    w->at = 0;
    return chimera_entry_begin(f->target[0], f->n, f->n_candidates, w->out, &w->start);
}

/* End the entries whose candidates are all written. */
static status_t end_entries(writing_t *w)
{
    status_t st = ST_OK;

    while (st == ST_OK && w->read < w->n_reads &&
           w->at == w->found[w->read].n_candidates) {
        chimera_entry_end(w->start, w->out);
        if (++w->read < w->n_reads)
            st = begin_entry(w);
    }
    return st;
}

static status_t write_candidates(writing_t *w, const pair_results_t *r, int64_t n)
{
    status_t st = ST_OK;

    for (int64_t k = 0; st == ST_OK && k < n; k++) {
        const int64_t first = r->cigar_start[k];

        st = chimera_entry_add(w->found[w->read].candidate[w->at++], r->cigar + first,
                               r->cigar_start[k + 1] - first, w->out);
        if (st == ST_OK)
            st = end_entries(w);
    }
    return st;
}

static status_t align_whole(chimera_search_t *s, writing_t *w)
{
    const pair_t *pairs = (const void *)s->pairs.data;
    const int64_t n = (int64_t)(s->pairs.len / sizeof(*pairs));
    status_t st = ST_OK;

    for (int64_t k = 0; st == ST_OK && k < n; k += PAIRS_PER_BATCH) {
        const pair_batch_t batch = {pairs + k,
                                    n - k < PAIRS_PER_BATCH ? n - k : PAIRS_PER_BATCH};
        pair_results_t results;

        if ((st = aligner_submit(s->whole, &batch)) != ST_OK ||
            (st = aligner_wait(s->whole, &results)) != ST_OK)
            return st;
        if (align_cancelled(s->context.cancel))
            return ST_ESTOPPED;
        st = write_candidates(w, &results, batch.n);
    }
    return st;
}

status_t chimera_search_find(chimera_search_t *s, const chimera_query_t *queries,
                             int64_t n, buf_t *out)
{
    writing_t w = {.n_reads = n, .out = out};
    status_t st = find_quarters(s, queries, n);

    if (st != ST_OK || n == 0)
        return st;
    w.found = (const void *)s->found.data;
    if ((st = begin_entry(&w)) != ST_OK || (st = end_entries(&w)) != ST_OK)
        return st;
    return align_whole(s, &w);
}
