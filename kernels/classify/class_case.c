/*
 * class_case.c - one nbc_without per thread; labels of what it finds.
 */
#include "kernels/classify/class_case.h"

#include "io/base/logmsg.h"
#include "kernels/classify/nbc_score.h"

#include <stdatomic.h>
#include <stdlib.h>

/* Of one thread. */
typedef struct {
    nbc_without_t *without;
    class_scratch_t *scratch; /* one */
} worker_t;

typedef struct {
    const class_case_context_t *context;
    const class_case_t *cases;
    int32_t *found;
    class_example_t *examples;
    worker_t **workers; /* [n_threads] */
    _Atomic int status;
} run_t;

/* @return the number of the rule, counted from 1, for a rank of a class's lineage */
static int rule_of(const nbc_classes_t *c, int32_t class_number, int rank)
{
    return rank < class_lineage_len(c, class_number) ? rank : c->n_ranks;
}

/* @return what an example of a rank is that was left out */
static class_truth_t absent_truth(const nbc_classes_t *c, int32_t found, int rank)
{
    return rank == class_lineage_len(c, found) && class_is_above(c, found)
               ? CLASS_ABSENT_ABOVE
               : CLASS_ABSENT;
}

/* @return that of the examples whose own taxon of a rank is the same */
static int16_t fold_of(const nbc_classes_t *c, int32_t own_class, int rule, int rank)
{
    const int own_rank = rule == c->n_ranks ? class_lineage_len(c, own_class) : rank;

    return (int16_t)((nbc_classes_at(c, own_class, own_rank) + 1) % CLASS_RULE_FOLDS);
}

void class_case_label(const nbc_classes_t *c, const class_case_t *own, int32_t found,
                      const class_evidence_t *evidence, class_example_t *out)
{
    const int absent =
        own->absent_rank > 0 ? rule_of(c, own->own_class, own->absent_rank) : 0;

    for (int r = 0; r < c->n_ranks; r++)
        out[r].group = CLASS_NO_EXAMPLE;
    for (int rank = 1; rank <= c->n_ranks && evidence[rank - 1].n_refs > 0; rank++) {
        const int rule = rule_of(c, found, rank);
        const bool right =
            nbc_classes_at(c, found, rank) == nbc_classes_at(c, own->own_class, rank);

        if (absent > 0 && rule > absent)
            continue;
        out[rule - 1] =
            (class_example_t){.evidence = evidence[rank - 1],
                              .truth = rule == absent ? absent_truth(c, found, rank)
                                       : right        ? CLASS_RIGHT
                                                      : CLASS_WRONG,
                              .group = (int16_t)own->group,
                              .fold = fold_of(c, own->own_class, rule, rank)};
    }
}

static void classify_case(void *ctx, int64_t i, int thread)
{
    run_t *run = ctx;
    const class_case_t *own = &run->cases[i];
    const nbc_classes_t *c = run->context->nbc->model->classes;
    worker_t *w = run->workers[thread];
    class_evidence_t evidence[c->n_ranks];
    nbc_results_t results;
    status_t st = ST_OK;

    if (run->status != ST_OK)
        return;
    if (w->without == NULL)
        st = nbc_without_create(run->context->nbc, &w->without);
    if (st == ST_OK && w->scratch == NULL)
        st = class_scratch_create(run->context->nbc->model, 1, &w->scratch);
    if (st == ST_OK)
        st = nbc_without_classify(w->without, run->context->reads, own->read,
                                  own->removed, own->n_removed, &results);
    if (st != ST_OK) {
        run->status = st;
        return;
    }
    class_evidence_without(run->context->known,
                           &(class_read_t){.reads = run->context->reads,
                                           .read = own->read,
                                           .results = &results,
                                           .n_resamples =
                                               run->context->nbc->options.n_resamples},
                           own->removed, own->n_removed, w->scratch, evidence);
    run->found[i] = results.best[0].class_number;
    class_case_label(c, own, run->found[i], evidence, run->examples + i * c->n_ranks);
}

status_t class_case_run(const class_case_context_t *context, const class_case_t *cases,
                        int64_t n, int32_t *found, class_example_t *examples)
{
    const int n_threads = pool_n_threads(context->pool);
    run_t run = {.context = context,
                 .cases = cases,
                 .found = found,
                 .examples = examples,
                 .workers = calloc((size_t)n_threads, sizeof(*run.workers))};

    for (int t = 0; run.workers != NULL && t < n_threads; t++)
        if ((run.workers[t] = calloc(1, sizeof(**run.workers))) == NULL)
            run.status = log_nomem("the examples of a classifier");
    if (run.workers == NULL)
        return log_nomem("the examples of a classifier");
    pool_run(context->pool, n, classify_case, &run);
    for (int t = 0; t < n_threads; t++) {
        if (run.workers[t] != NULL) {
            nbc_without_destroy(run.workers[t]->without);
            class_scratch_destroy(run.workers[t]->scratch);
        }
        free(run.workers[t]);
    }
    free(run.workers);
    return (status_t)run.status;
}

status_t class_case_learn(class_method_t method, class_prior_t prior,
                          const class_example_t *examples, int64_t n, int n_ranks,
                          class_rule_t *rules)
{
    class_example_t *chosen = malloc(((size_t)n + 1) * sizeof(*chosen));
    status_t st = ST_OK;

    if (chosen == NULL)
        return log_nomem("the examples of a classifier");
    for (int r = n_ranks - 1; r >= 0 && st == ST_OK; r--) {
        int64_t n_chosen = 0;

        for (int64_t i = 0; i < n; i++)
            if (examples[i * n_ranks + r].group != CLASS_NO_EXAMPLE)
                chosen[n_chosen++] = examples[i * n_ranks + r];
        st = class_rule_learn(method, prior, chosen, n_chosen, &rules[r]);
        if (st == ST_EINPUT && r < n_ranks - 1) {
            rules[r] = rules[r + 1];
            st = ST_OK;
        }
    }
    free(chosen);
    return st;
}
