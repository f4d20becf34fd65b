/*
 * class_trial.c - draws queries, and lists what their models lack by identity.
 */
#include "bench/classify/class_trial.h"

#include "io/base/logmsg.h"

#include <stdlib.h>

const int class_trial_identity[CLASS_TRIAL_DISTANCES] = {100, 99, 97, 95, 90};

void class_trial_begin(const class_trial_options_t *o, class_trial_t *out)
{
    *out = (class_trial_t){.novelty_rate = o->novelty_rate};
    for (int m = 0; m < CLASS_BENCH_METHODS; m++)
        out->of[m].is_run = o->runs[m];
}

void class_trial_free(class_trial_t *t)
{
    class_methods_free(t->of, CLASS_TRIAL_METHODS);
}

void class_trial_shuffle(rng_t *rng, int32_t *x, int64_t n)
{
    for (int64_t i = n - 1; i > 0; i--) {
        const int64_t k = (int64_t)rng_below(rng, (uint64_t)i + 1);
        const int32_t other = x[k];

        x[k] = x[i];
        x[i] = other;
    }
}

/* Draw genes of classes with several. @return their number */
static int64_t draw_queries(const class_data_t *d, const class_subset_t *all,
                            const class_trial_options_t *o, int32_t *queries)
{
    rng_t rng = rng_seed(o->seed);
    int64_t n = 0;

    for (int64_t i = 0; i < d->genes->n; i++)
        if (all->model->class_refs[d->class_of[i]] > 1)
            queries[n++] = (int32_t)i;
    class_trial_shuffle(&rng, queries, n);
    return n < o->n_queries ? n : o->n_queries;
}

/* Lists of genes that cases lack, one after the other. */
typedef struct {
    class_case_t *cases; /* [n_queries * CLASS_TRIAL_GROUPS] */
    int64_t *first;      /* of each case in the lists */
    buf_t lists;         /* int32_t */
} removal_t;

/* List what one query's cases lack. @param pairs  [n_pairs] of the query */
static status_t list_query(const class_data_t *d, int64_t q, int32_t query,
                           const class_identity_t *pairs, int64_t n_pairs, removal_t *r)
{
    const int32_t own = d->class_of[query];
    status_t st = ST_OK;

    for (int g = 0; st == ST_OK && g < CLASS_TRIAL_GROUPS; g++) {
        const int64_t i = q * CLASS_TRIAL_GROUPS + g;

        r->cases[i] = (class_case_t){.read = query, .own_class = own, .group = g};
        r->first[i] = (int64_t)(r->lists.len / sizeof(int32_t));
        for (int64_t k = 0, gene = 0; st == ST_OK && gene < d->genes->n; gene++) {
            bool lacks = gene == query;

            for (; k < n_pairs && pairs[k].gene < gene; k++)
                continue;
            if (g == CLASS_TRIAL_LEFT_OUT)
                lacks = d->class_of[gene] == own;
            else if (k < n_pairs && pairs[k].gene == gene)
                lacks = lacks || INT64_C(100) * pairs[k].matches >
                                     (int64_t)class_trial_identity[g] * pairs[k].columns;
            if (!lacks)
                continue;
            st = buf_append(&r->lists, &(int32_t){(int32_t)gene}, sizeof(int32_t));
            r->cases[i].n_removed++;
        }
    }
    return st;
}

static status_t list_all(const class_data_t *d, const int32_t *queries, int64_t n,
                         const class_identity_t *pairs, int64_t n_pairs, removal_t *r)
{
    const size_t n_cases = (size_t)n * CLASS_TRIAL_GROUPS + 1;
    status_t st = ST_OK;

    r->cases = malloc(n_cases * sizeof(*r->cases));
    r->first = malloc(n_cases * sizeof(*r->first));
    if (r->cases == NULL || r->first == NULL)
        return log_nomem("the cases of a trial");
    for (int64_t q = 0, k = 0; st == ST_OK && q < n; q++) {
        const int64_t begin = k;

        while (k < n_pairs && pairs[k].query == q)
            k++;
        st = list_query(d, q, queries[q], pairs + begin, k - begin, r);
    }
    for (int64_t i = 0; st == ST_OK && i < n * CLASS_TRIAL_GROUPS; i++)
        r->cases[i].removed = (const int32_t *)(const void *)r->lists.data + r->first[i];
    return st;
}

/* Learn rules from the genes that are no queries. */
static status_t learn_without(const class_data_t *d, const int32_t *queries, int64_t n,
                              const class_trial_options_t *o, class_trial_t *trial)
{
    bool *left_out = calloc((size_t)d->genes->n + 1, sizeof(*left_out));
    class_subset_t rest = {0};
    status_t st;

    if (left_out == NULL)
        return log_nomem("the genes of a trial");
    for (int64_t i = 0; i < n; i++)
        left_out[queries[i]] = true;
    st = class_subset_create(d, left_out, &rest);
    if (st == ST_OK)
        st = class_methods_learn(d, &rest, o->n_samples, o->seed, trial->of);
    class_subset_free(&rest);
    free(left_out);
    return st;
}

status_t class_trial_by_identity(const class_data_t *d, const class_folder_t *f,
                                 const class_trial_options_t *o, class_trial_t *trial)
{
    int32_t *queries = malloc(((size_t)d->genes->n + 1) * sizeof(*queries));
    class_subset_t all = {0};
    class_identity_t *pairs = NULL;
    removal_t r = {0};
    int64_t n = 0, n_pairs = 0;
    status_t st = queries != NULL ? class_subset_create(d, NULL, &all)
                                  : log_nomem("the queries of a trial");

    if (st == ST_OK) {
        trial->n_queries = n = draw_queries(d, &all, o, queries);
        st = learn_without(d, queries, n, o, trial);
    }
    if (st == ST_OK)
        st = o->pairs != NULL
                 ? class_pairs_list(o->pairs, d, queries, n, &pairs, &n_pairs)
                 : class_tools_align(f, d, queries, n, &pairs, &n_pairs);
    if (st == ST_OK)
        st = list_all(d, queries, n, pairs, n_pairs, &r);
    trial->n = n * CLASS_TRIAL_GROUPS;
    if (st == ST_OK)
        st = class_methods_run(d, &all, o->novelty_rate, r.cases, trial->n, trial->of);
    free(queries);
    free(pairs);
    free(r.cases);
    free(r.first);
    buf_free(&r.lists);
    class_subset_free(&all);
    return st;
}
