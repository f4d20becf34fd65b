/*
 * chimera_search.c - parts of reads through the search for best hits.
 */
#include "worker/chimera/chimera_search.h"

#include "io/base/logmsg.h"
#include "io/prepare/prepare.h"
#include "kernels/align/search/search.h"
#include "kernels/chimera/parent_contest.h"

#include <stdlib.h>
#include <string.h>

struct chimera_search {
    chimera_search_context_t context;
    seqset_t *set;   /* different parts of reads, then targets */
    int32_t *row_of; /* [reads][CHIMERA_PARTS] in the set: most reads share some */
    int64_t first_target;
    int32_t *group_of; /* [targets] each is a group of its own */
    align_spec_t spec;
    search_t *parts;
    buf_t queries; /* search_query_t of parts */
};

/* ---- the set ---- */

/* Reads that are too short are copied as a whole: they are no queries. */
static status_t add_parts(seqset_builder_t *b, const seqset_t *reads)
{
    status_t st = ST_OK;

    for (int64_t i = 0; i < reads->n; i++) {
        const int64_t len = seqset_len(reads, i);
        const bool is_short = len < CONTEST_WINDOW;

        for (int64_t k = 0; st == ST_OK && k < CHIMERA_PARTS; k++) {
            const int64_t first = is_short ? 0 : len * k / CHIMERA_PARTS;
            const int64_t end = is_short ? len : len * (k + 1) / CHIMERA_PARTS;

            st = seqset_builder_add(b, "", 0, seqset_letters(reads, i) + first,
                                    (size_t)(end - first));
        }
    }
    return st;
}

/* Keep one of equal parts. */
static status_t make_parts(chimera_search_t *s, seqset_t **out)
{
    const int64_t n = CHIMERA_PARTS * s->context.reads->n;
    seqset_builder_t b = {.alphabet = ALPHABET_DNA};
    int32_t *first = malloc(((size_t)n + 1) * sizeof(*first));
    int64_t n_distinct = 0;
    status_t st;

    s->row_of = malloc(((size_t)n + 1) * sizeof(*s->row_of));
    st = first != NULL && s->row_of != NULL ? add_parts(&b, s->context.reads)
                                            : log_nomem("parts of reads");
    if (st == ST_OK)
        st = seqset_builder_finish(&b, out);
    if (st == ST_OK)
        st = derep_find(*out, s->row_of, first, &n_distinct);
    if (st == ST_OK)
        seqset_keep(*out, first, n_distinct);
    seqset_builder_free(&b);
    free(first);
    return st;
}

static status_t make_set(chimera_search_t *s)
{
    const seqset_t *targets = s->context.targets;
    seqset_t *parts = NULL;
    status_t st = make_parts(s, &parts);

    if (st == ST_OK)
        st = seqset_join(parts, false, targets, &s->set);
    if (st == ST_OK)
        s->first_target = parts->n;
    seqset_destroy(parts);
    if (st != ST_OK)
        return st;
    s->group_of = malloc(((size_t)targets->n + 1) * sizeof(*s->group_of));
    if (s->group_of == NULL)
        return log_nomem("possible parents");
    for (int32_t i = 0; i < targets->n; i++)
        s->group_of[i] = i;
    return ST_OK;
}

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
                                      .spec = &s->spec,
                                      .filter = &s->spec,
                                      .min_identity = {CHIMERA_MIN_IDENTITY, 100},
                                      .n_best = c->n_hits,
                                      .order = PAIRS_BY_IDENTITY,
                                      .aligner = {.kernel = c->kernel},
                                      .group_of = s->group_of};

    s->spec =
        (align_spec_t){.emit = EMIT_IDENTITY, .ends = ENDS_QUERY, .min_overlap = {0, 1}};
    align_scoring_set(&s->spec.scoring, AMBIGUITY_N_MISMATCH, 4, -5, -7);
    return search_create(&context, &s->parts);
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
    search_destroy(s->parts);
    seqset_destroy(s->set);
    free(s->row_of);
    free(s->group_of);
    buf_free(&s->queries);
    free(s);
}

const char *chimera_search_kernel(const chimera_search_t *s)
{
    return search_kernel(s->parts);
}

double chimera_search_guess(const chimera_search_t *s)
{
    return search_guess(s->parts);
}

/* ---- hits ---- */

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
    if ((st = buf_reserve(&s->queries, (size_t)(CHIMERA_PARTS * n + 1) * sizeof(*to))) !=
        ST_OK)
        return st;
    to = (void *)s->queries.data;
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k < CHIMERA_PARTS; k++) {
            const chimera_query_t *q = &queries[i];
            const int32_t row = s->row_of[CHIMERA_PARTS * q->read + k];

            *to++ = (search_query_t){.row = may_have_parents(s, q) ? row : -1,
                                     .removed = q->removed,
                                     .n_removed = q->n_removed,
                                     .n_targets = q->n_targets};
        }
    return ST_OK;
}

static void take_hits(const chimera_search_t *s, const search_hits_t *found, int64_t i,
                      chimera_hits_t *out)
{
    memset(out, -1, sizeof(*out));
    for (int k = 0; k < CHIMERA_PARTS; k++) {
        const int64_t *first = found->first + CHIMERA_PARTS * i + k;
        const int64_t n = first[1] - first[0];

        for (int64_t h = 0; h < n && h < s->context.n_hits; h++)
            out->target[k][h] =
                (int32_t)(found->hits[first[0] + h].col - s->first_target);
    }
}

status_t chimera_search_find(chimera_search_t *s, const chimera_query_t *queries,
                             int64_t n, chimera_hits_t *out)
{
    search_hits_t found;
    status_t st = list_queries(s, queries, n);

    if (st == ST_OK)
        st = search_find(s->parts, (const void *)s->queries.data, CHIMERA_PARTS * n,
                         &found);
    for (int64_t i = 0; st == ST_OK && i < n; i++)
        take_hits(s, &found, i, &out[i]);
    return st;
}
