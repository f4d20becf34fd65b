/*
 * class_align.c - evidence from the best hits of reads among the references.
 */
#include "worker/classify/class_align.h"

#include "io/base/compare.h"
#include "io/base/logmsg.h"
#include "io/seq/seqset.h"

#include <stdlib.h>

/* The scores of `align`. */
enum { MATCH = 4, MISMATCH = -5, GAP = -7 };

struct class_align {
    class_align_context_t context;
    seqset_t *set; /* reads, their reverse complements, references */
    align_spec_t spec;
    search_t *search;
    class_scratch_t *scratch; /* [threads] */
};

/* @return the median length of sequences first .. end-1, spaced evenly if they are many
 */
static int64_t median_length(const seqset_t *set, int64_t first, int64_t end)
{
    enum { SAMPLE = 1024 };
    int64_t lengths[SAMPLE];
    const int64_t n = end - first < SAMPLE ? end - first : SAMPLE;

    for (int64_t i = 0; i < n; i++)
        lengths[i] = seqset_len(set, first + i * (end - first) / n);
    qsort(lengths, (size_t)n, sizeof(*lengths), compare_int64);
    return n > 0 ? lengths[n / 2] : 0;
}

align_ends_t class_align_ends(const seqset_t *set, int64_t first_ref)
{
    const int64_t read = median_length(set, 0, first_ref);
    const int64_t reference = median_length(set, first_ref, set->n);

    return 5 * read < 4 * reference ? ENDS_QUERY : ENDS_FREE;
}

/* @param first_ref  index of the first reference in a->set */
static status_t create_search(class_align_t *a, int64_t first_ref)
{
    const nbc_model_t *model = a->context.known->model;
    const search_context_t context = {.device = a->context.device,
                                      .pool = a->context.pool,
                                      .run = {.band = true, .cancel = a->context.cancel},
                                      .set = a->set,
                                      .n_queries =
                                          first_ref, /* of reads in either orientation */
                                      .first_target = first_ref,
                                      .n_strands = 1,
                                      .spec = &a->spec,
                                      .filter = &a->spec,
                                      .n_best = 1,
                                      .order = PAIRS_BY_IDENTITY,
                                      .aligner = {.kernel = "auto"},
                                      .group_of = model->class_of};

    a->spec = (align_spec_t){.emit = EMIT_IDENTITY,
                             .ends = class_align_ends(a->set, first_ref),
                             .min_overlap = {1, 2}};
    align_scoring_set(&a->spec.scoring, AMBIGUITY_N_MISMATCH, MATCH, MISMATCH, GAP);
    return search_create(&context, &a->search);
}

status_t class_align_create(const class_align_context_t *context, class_align_t **out)
{
    const nbc_model_t *model = context->known->model;
    const int n_strands = context->both_strands ? 2 : 1;
    class_align_t *a = calloc(1, sizeof(*a));
    status_t st;

    if (a == NULL)
        return log_nomem("the best hits");
    a->context = *context;
    st = class_scratch_create(model, pool_n_threads(context->pool), &a->scratch);
    if (st == ST_OK)
        st = seqset_join(context->reads, context->both_strands, model->refs, &a->set);
    if (st == ST_OK)
        st = create_search(a, context->reads->n * n_strands);
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
    search_destroy(a->search);
    seqset_destroy(a->set);
    class_scratch_destroy(a->scratch);
    free(a);
}

/* ---- evidence ---- */

class_rivals_t class_align_rivals(const nbc_model_t *model, const pairs_hit_t *hits,
                                  int64_t n, int64_t first_ref, int32_t class_number,
                                  int rank)
{
    const int32_t taxon = nbc_classes_at(model->classes, class_number, rank);
    class_rivals_t r = {NULL, NULL};

    for (int64_t i = 0; i < n && (r.own == NULL || r.rival == NULL); i++) {
        const int32_t other = model->class_of[hits[i].col - first_ref];
        const bool is_own = nbc_classes_at(model->classes, other, rank) == taxon;

        if (is_own && r.own == NULL)
            r.own = &hits[i];
        if (!is_own && r.rival == NULL)
            r.rival = &hits[i];
    }
    return r;
}

typedef struct {
    const class_align_t *align;
    const class_align_query_t *queries;
    search_hits_t hits;
    int32_t *found;
    class_evidence_t *evidence;
} run_t;

/* Collect what class_evidence.c knows of the lineage, without results of naive Bayes. */
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

static void find_evidence(void *ctx, int64_t q, int thread)
{
    const run_t *run = ctx;
    const nbc_model_t *model = run->align->context.known->model;
    const int64_t first_ref = run->align->set->n - model->refs->n;
    const int64_t first = run->hits.first[q], n = run->hits.first[q + 1] - first;
    const pairs_hit_t *hits = run->hits.hits + first;
    class_evidence_t *out = run->evidence + q * model->classes->n_ranks;

    if (n == 0)
        return;
    run->found[q] = model->class_of[hits[0].col - first_ref];
    collect(run, q, thread, out);
    for (int rank = 1; rank <= class_lineage_len(model->classes, run->found[q]); rank++) {
        const class_rivals_t r =
            class_align_rivals(model, hits, n, first_ref, run->found[q], rank);

        out[rank - 1].identity = class_rival_identity(r.own);
        out[rank - 1].rival_identity = class_rival_identity(r.rival);
    }
}

static search_query_t query_of(const class_align_t *a, const class_align_query_t *q)
{
    const nbc_model_t *model = a->context.known->model;
    const int64_t first = q->reversed ? a->context.reads->n : 0;
    const int64_t *members;

    if (q->candidate < 0)
        return (search_query_t){.row = -1};
    members = model->class_first + q->candidate;
    return (search_query_t){.row = (int32_t)(first + q->read),
                            .likely = model->members + members[0],
                            .n_likely = members[1] - members[0],
                            .removed = q->removed,
                            .n_removed = q->n_removed,
                            .n_targets = model->refs->n};
}

status_t class_align_find(class_align_t *a, const class_align_query_t *queries, int64_t n,
                          int32_t *found, class_evidence_t *evidence)
{
    const int n_ranks = a->context.known->model->classes->n_ranks;
    search_query_t *wanted = malloc(((size_t)n + 1) * sizeof(*wanted));
    run_t run = {.align = a, .queries = queries, .found = found, .evidence = evidence};
    status_t st;

    if (wanted == NULL)
        return log_nomem("the best hits");
    for (int64_t q = 0; q < n; q++) {
        wanted[q] = query_of(a, &queries[q]);
        found[q] = -1;
    }
    for (int64_t i = 0; i < n * n_ranks; i++)
        evidence[i] = (class_evidence_t){.n_refs = 0};
    if ((st = search_find(a->search, wanted, n, &run.hits)) == ST_OK)
        pool_run(a->context.pool, n, find_evidence, &run);
    free(wanted);
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
