/*
 * class_align.c - queries for class_hits.h, and evidence from what it finds.
 */
#include "worker/classify/class_align.h"

#include "io/base/logmsg.h"
#include "io/seq/seqset_join.h"
#include "worker/classify/class_hits.h"

#include <stdlib.h>

struct class_align {
    class_align_context_t context;
    seqset_t *set; /* reads, their reverse complements, references */
    class_hits_t *hits;
    class_scratch_t *scratch; /* [threads] */
};

status_t class_align_create(const class_align_context_t *context, class_align_t **out)
{
    const nbc_model_t *model = context->known->model;
    const int n_strands = context->both_strands ? 2 : 1;
    class_align_t *a = calloc(1, sizeof(*a));
    class_hits_context_t hits = {.device = context->device,
                                 .pool = context->pool,
                                 .first_ref = context->reads->n * n_strands,
                                 .class_of = model->class_of,
                                 .n_classes = model->classes->n,
                                 .run = {.band = true, .cancel = context->cancel},
                                 .n_best = 1};
    status_t st;

    if (a == NULL)
        return log_nomem("the best hits");
    a->context = *context;
    st = class_scratch_create(model, pool_n_threads(context->pool), &a->scratch);
    if (st == ST_OK)
        st = seqset_join(context->reads, context->both_strands, model->refs, &a->set);
    if (st == ST_OK) {
        hits.set = a->set;
        hits.ends = class_hits_ends(a->set, hits.first_ref);
        st = class_hits_create(&hits, &a->hits);
    }
    if (st != ST_OK) {
        class_align_destroy(a);
        return st;
    }
    *out = a;
    return ST_OK;
}

void class_align_destroy(class_align_t *a)
{
    if (a == NULL)
        return;
    class_hits_destroy(a->hits);
    seqset_destroy(a->set);
    class_scratch_destroy(a->scratch);
    free(a);
}

/* ---- evidence ---- */

typedef struct {
    const class_align_t *align;
    const class_align_query_t *queries;
    const int32_t *query_of; /* [n_wanted] */
    class_hits_results_t hits;
    int32_t *found;
    class_evidence_t *evidence;
} run_t;

/* Collect what class_evidence.h knows of the lineage, without results of naive Bayes. */
static void collect(const run_t *run, int64_t q, int thread, class_evidence_t *out)
{
    const class_align_context_t *c = &run->align->context;
    const class_align_query_t *query = &run->queries[q];
    const int n_ranks = c->known->model->classes->n_ranks;
    nbc_best_t best = {.class_number = run->found[q],
                       .n_words = 1,
                       .reversed = query->reversed};
    uint16_t support[n_ranks];
    int32_t rival[n_ranks];
    const nbc_results_t results = {&best, support, rival};
    const class_read_t read = {c->reads, query->read, &results, 0, 1};

    for (int r = 0; r < n_ranks; r++) {
        support[r] = 0;
        rival[r] = NBC_COST_NONE;
    }
    class_evidence_without(c->known, &read, query->removed, query->n_removed,
                           &run->align->scratch[thread], out);
}

static void find_evidence(void *ctx, int64_t k, int thread)
{
    const run_t *run = ctx;
    const nbc_classes_t *classes = run->align->context.known->model->classes;
    const int64_t q = run->query_of[k], first = run->hits.first[k];
    const int64_t n = run->hits.first[k + 1] - first;
    const class_hit_t *hits = run->hits.hits + first;
    class_evidence_t *out = run->evidence + q * classes->n_ranks;

    if (n == 0)
        return;
    run->found[q] = hits[0].class_number;
    collect(run, q, thread, out);
    for (int rank = 1; rank <= class_lineage_len(classes, run->found[q]); rank++) {
        class_hits_rivals_t r = class_hits_rivals(classes, hits, n, run->found[q], rank);

        out[rank - 1].identity = class_hit_identity(r.own);
        out[rank - 1].rival_identity = class_hit_identity(r.rival);
    }
}

/* @param wanted  [n] out @param query_of  [n] out @return the number of those wanted */
static int64_t list_wanted(const class_align_t *a, const class_align_query_t *queries,
                           int64_t n, class_query_t *wanted, int32_t *query_of)
{
    int64_t n_wanted = 0;

    for (int64_t q = 0; q < n; q++) {
        const class_align_query_t *query = &queries[q];

        if (query->candidate < 0)
            continue;
        query_of[n_wanted] = (int32_t)q;
        wanted[n_wanted++] =
            (class_query_t){.row = (int32_t)(query->read +
                                             (query->reversed ? a->context.reads->n : 0)),
                            .classes = &query->candidate,
                            .n_classes = 1,
                            .removed = query->removed,
                            .n_removed = query->n_removed};
    }
    return n_wanted;
}

status_t class_align_find(class_align_t *a, const class_align_query_t *queries, int64_t n,
                          int32_t *found, class_evidence_t *evidence)
{
    const int n_ranks = a->context.known->model->classes->n_ranks;
    class_query_t *wanted = malloc(((size_t)n + 1) * sizeof(*wanted));
    int32_t *query_of = malloc(((size_t)n + 1) * sizeof(*query_of));
    run_t run = {.align = a,
                 .queries = queries,
                 .query_of = query_of,
                 .found = found,
                 .evidence = evidence};
    int64_t n_wanted;
    status_t st;

    for (int64_t q = 0; q < n; q++)
        found[q] = -1;
    for (int64_t i = 0; i < n * n_ranks; i++)
        evidence[i] = (class_evidence_t){.n_refs = 0};
    if (wanted == NULL || query_of == NULL) {
        st = log_nomem("the best hits");
    } else {
        n_wanted = list_wanted(a, queries, n, wanted, query_of);
        if ((st = class_hits_find(a->hits, wanted, n_wanted, &run.hits)) == ST_OK)
            pool_run(a->context.pool, n_wanted, find_evidence, &run);
    }
    free(wanted);
    free(query_of);
    return st;
}

status_t class_align_cases(class_align_t *a, const class_case_t *cases,
                           const int64_t *reads, int64_t n, const int32_t *candidates,
                           int32_t *found, class_example_t *examples)
{
    const nbc_classes_t *classes = a->context.known->model->classes;
    const int n_ranks = classes->n_ranks;
    class_align_query_t *queries = calloc((size_t)n + 1, sizeof(*queries));
    class_evidence_t *evidence =
        malloc((size_t)n * (size_t)n_ranks * sizeof(*evidence) + 1);
    status_t st = queries != NULL && evidence != NULL
                      ? ST_OK
                      : log_nomem("the examples of a classifier");

    for (int64_t i = 0; st == ST_OK && i < n; i++)
        queries[i] =
            (class_align_query_t){.read = reads != NULL ? reads[i] : cases[i].read,
                                  .candidate = candidates[i],
                                  .removed = cases[i].removed,
                                  .n_removed = cases[i].n_removed};
    if (st == ST_OK)
        st = class_align_find(a, queries, n, found, evidence);
    for (int64_t i = 0; st == ST_OK && i < n; i++)
        class_case_label(classes, &cases[i], found[i], evidence + i * n_ranks,
                         examples + i * n_ranks);
    free(queries);
    free(evidence);
    return st;
}
