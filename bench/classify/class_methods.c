/*
 * class_methods.c - classes that are found by words and by alignments, and what rules
 * make of the evidence for them.
 */
#include "bench/classify/class_bench.h"

#include "io/base/logmsg.h"
#include "kernels/classify/class_train.h"
#include "worker/classify/class_align.h"

#include <stdlib.h>

const class_method_t class_bench_method[] = {CLASS_NBC, CLASS_ALIGN, CLASS_JOINT,
                                             CLASS_JOINT};
const class_prior_t class_bench_prior[] = {CLASS_PRIOR_EQUAL, CLASS_PRIOR_REFERENCES,
                                           CLASS_PRIOR_EQUAL, CLASS_PRIOR_REFERENCES};
const char *const class_bench_name[] = {"nbc", "align", "joint",
                                        "joint, --prior references"};

/* What words and what alignments find: both are at least allocated. */
typedef struct {
    int32_t *found[2];            /* [n] classes */
    class_example_t *examples[2]; /* [n][n_ranks] */
} evidence_t;

static void evidence_free(evidence_t *e)
{
    for (int k = 0; k < 2; k++) {
        free(e->found[k]);
        free(e->examples[k]);
    }
}

/* @return the element of evidence_t that a method uses */
static int source_of(int method)
{
    return class_bench_method[method] == CLASS_ALIGN;
}

static bool aligns(const class_judged_t *runs)
{
    bool any = false;

    for (int m = 0; m < CLASS_BENCH_METHODS; m++)
        any = any || (runs[m].is_run && source_of(m) == 1);
    return any;
}

static status_t align_cases(const class_data_t *d, const class_subset_t *s,
                            const class_case_t *cases, int64_t n, evidence_t *e)
{
    class_align_t *align;
    status_t st = class_align_create(&(class_align_context_t){.device = &d->device,
                                                              .pool = d->pool,
                                                              .known = &s->known,
                                                              .reads = d->genes},
                                     &align);

    if (st != ST_OK)
        return st;
    st = class_align_cases(align, cases, NULL, n, e->found[0], e->found[1],
                           e->examples[1]);
    class_align_destroy(align);
    return st;
}

/* @param out  freed by evidence_free, also after an error */
static status_t collect(const class_data_t *d, const class_subset_t *s,
                        const class_case_t *cases, int64_t n, const class_judged_t *runs,
                        evidence_t *out)
{
    const class_case_context_t context = {&s->nbc, &s->known, d->genes, d->pool};
    const size_t n_examples = (size_t)n * (size_t)d->classes.n_ranks + 1;
    status_t st;

    for (int k = 0; k < 2; k++) {
        out->found[k] = malloc(((size_t)n + 1) * sizeof(*out->found[k]));
        out->examples[k] = malloc(n_examples * sizeof(*out->examples[k]));
        if (out->found[k] == NULL || out->examples[k] == NULL)
            return log_nomem("the outcomes of a trial");
    }
    st = class_case_run(&context, cases, n, out->found[0], out->examples[0]);
    return st == ST_OK && aligns(runs) ? align_cases(d, s, cases, n, out) : st;
}

status_t class_methods_learn(const class_data_t *d, const class_subset_t *s,
                             int64_t n_samples, uint64_t seed, class_judged_t *runs)
{
    const int n_ranks = d->classes.n_ranks;
    evidence_t e = {{NULL}, {NULL}};
    class_train_t train;
    class_train_cases_t cases = {0};
    status_t st = class_train_create(s->model, n_samples, seed, &train);

    if (st != ST_OK)
        return st;
    if ((st = class_train_list(&train, 0, train.n, d->pool, &cases)) == ST_OK)
        st = collect(d, s, cases.cases, cases.n, runs, &e);
    for (int m = 0; st == ST_OK && m < CLASS_BENCH_METHODS; m++) {
        if (!runs[m].is_run)
            continue;
        runs[m].rules = calloc((size_t)n_ranks, sizeof(*runs[m].rules));
        st = runs[m].rules != NULL
                 ? class_case_learn(class_bench_method[m], class_bench_prior[m],
                                    e.examples[source_of(m)], cases.n, n_ranks,
                                    runs[m].rules)
                 : log_nomem("rules");
        if (st == ST_EINPUT)
            log_error(
                "%s: cannot learn which names to refuse: of the genes that are no "
                "queries none is named rightly without itself, or none at all without "
                "its class; give more genes of each class, fewer --queries, or more "
                "--held-out",
                d->path);
    }
    evidence_free(&e);
    class_train_cases_free(&cases);
    class_train_free(&train);
    return st;
}

/* What a method makes of the evidence for a case. */
typedef struct {
    const class_data_t *d;
    class_method_t method;
    const class_rule_t *rules;
    double *threshold[CLASS_SETTINGS]; /* [n_ranks] */
} judge_t;

/* @param examples  [n_ranks] @return the probability of the class that was found */
static double judge(const judge_t *j, int32_t found, const class_example_t *examples,
                    class_depth_t *depth)
{
    const nbc_classes_t *c = &j->d->classes;
    const int len = class_lineage_len(c, found);
    class_evidence_t evidence[c->n_ranks];
    double support[c->n_ranks];

    for (int r = 0; r < c->n_ranks; r++) /* the lowest taxon has the last rule */
        evidence[r] = r < len ? examples[r < len - 1 ? r : c->n_ranks - 1].evidence
                              : (class_evidence_t){.n_refs = 0};
    for (int k = 0; k < CLASS_SETTINGS; k++)
        depth->named[k] = (uint8_t)class_rule_name(j->method, j->rules, j->threshold[k],
                                                   c->n_ranks, evidence, support);
    return support[len - 1];
}

static void judge_all(const judge_t *j, const class_subset_t *model,
                      const class_case_t *cases, const int32_t *found,
                      const class_example_t *examples, int64_t n, class_judged_t *run)
{
    const nbc_classes_t *c = &j->d->classes;

    for (int64_t i = 0; i < n; i++) {
        const class_case_t *own = &cases[i];
        class_depth_t *depth = &run->depths[i];
        double probability = -1;

        *depth = (class_depth_t){.own = (uint8_t)class_lineage_len(c, own->own_class),
                                 .known = (uint8_t)class_depth_known(&model->known, own),
                                 .right = (uint8_t)class_depth_common(c, own->own_class,
                                                                      found[i]),
                                 .group = (uint8_t)own->group};
        if (found[i] >= 0)
            probability = judge(j, found[i], examples + i * c->n_ranks, depth);
        run->outcomes[i] = (class_outcome_t){.probability = probability,
                                             .right = found[i] == own->own_class,
                                             .known = depth->known == depth->own,
                                             .group = own->group};
    }
}

static status_t run_method(const class_data_t *d, const class_subset_t *model,
                           double novelty_rate, const class_case_t *cases, int64_t n,
                           const evidence_t *e, int m, class_judged_t *run)
{
    const int n_ranks = d->classes.n_ranks;
    double threshold[CLASS_SETTINGS][n_ranks];
    const judge_t j = {d,
                       class_bench_method[m],
                       run->rules,
                       {threshold[0], threshold[1], threshold[2]}};

    for (int r = 0; r < n_ranks; r++) {
        threshold[CLASS_AT_LOW][r] = class_setting_support[CLASS_AT_LOW];
        threshold[CLASS_AT_HIGH][r] = class_setting_support[CLASS_AT_HIGH];
        threshold[CLASS_AT_RATE][r] = class_rule_threshold(&run->rules[r], novelty_rate);
    }
    run->outcomes = malloc(((size_t)n + 1) * sizeof(*run->outcomes));
    run->depths = malloc(((size_t)n + 1) * sizeof(*run->depths));
    if (run->outcomes == NULL || run->depths == NULL)
        return log_nomem("the outcomes of a trial");
    judge_all(&j, model, cases, e->found[source_of(m)], e->examples[source_of(m)], n,
              run);
    return ST_OK;
}

status_t class_methods_run(const class_data_t *d, const class_subset_t *model,
                           double novelty_rate, const class_case_t *cases, int64_t n,
                           class_judged_t *runs)
{
    evidence_t e = {{NULL}, {NULL}};
    status_t st = collect(d, model, cases, n, runs, &e);

    for (int m = 0; st == ST_OK && m < CLASS_BENCH_METHODS; m++)
        if (runs[m].is_run)
            st = run_method(d, model, novelty_rate, cases, n, &e, m, &runs[m]);
    evidence_free(&e);
    return st;
}

void class_methods_free(class_judged_t *runs, int n)
{
    for (int m = 0; m < n; m++) {
        free(runs[m].rules);
        free(runs[m].outcomes);
        free(runs[m].depths);
        runs[m] = (class_judged_t){.is_run = false};
    }
}
