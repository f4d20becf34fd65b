/*
 * class_trial.c - the two protocols: draws queries, lists what their models lack, and
 * classifies them.
 */
#include "bench/classify/class_bench.h"

#include "io/base/logmsg.h"
#include "io/pairs/pairs_format.h"

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

/* Draw genes of classes with several. @return their number */
static int64_t draw_queries(const class_data_t *d, const class_subset_t *all,
                            const class_trial_options_t *o, int32_t *queries)
{
    rng_t rng = rng_seed(o->seed);
    int64_t n = 0;

    for (int64_t i = 0; i < d->genes->n; i++)
        if (all->model->class_refs[d->class_of[i]] > 1)
            queries[n++] = (int32_t)i;
    rng_shuffle(&rng, queries, n);
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
                           const pairs_hit_t *pairs, int64_t n_pairs, removal_t *r)
{
    const int32_t own = d->class_of[query];
    status_t st = ST_OK;

    for (int g = 0; st == ST_OK && g < CLASS_TRIAL_GROUPS; g++) {
        const int64_t i = q * CLASS_TRIAL_GROUPS + g;

        r->cases[i] = (class_case_t){.read = query, .own_class = own, .group = g};
        r->first[i] = (int64_t)(r->lists.len / sizeof(int32_t));
        for (int64_t k = 0, gene = 0; st == ST_OK && gene < d->genes->n; gene++) {
            bool lacks = gene == query;

            for (; k < n_pairs && pairs[k].col < gene; k++)
                continue;
            if (g == CLASS_TRIAL_LEFT_OUT)
                lacks = d->class_of[gene] == own;
            else if (k < n_pairs && pairs[k].col == gene)
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

/* @param hits  pairs of the queries */
static status_t list_all(const class_data_t *d, const int32_t *queries, int64_t n,
                         const buf_t *hits, removal_t *r)
{
    const pairs_hit_t *pairs = (const pairs_hit_t *)(const void *)hits->data;
    const int64_t n_pairs = (int64_t)(hits->len / sizeof(*pairs));
    const size_t n_cases = (size_t)n * CLASS_TRIAL_GROUPS + 1;
    status_t st = ST_OK;

    r->cases = malloc(n_cases * sizeof(*r->cases));
    r->first = malloc(n_cases * sizeof(*r->first));
    if (r->cases == NULL || r->first == NULL)
        return log_nomem("the cases of a trial");
    for (int64_t q = 0, k = 0; st == ST_OK && q < n; q++) {
        const int64_t begin = k;

        while (k < n_pairs && pairs[k].row == q)
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
    removal_t r = {0};
    buf_t pairs = {0};
    int64_t n = 0;
    status_t st = queries != NULL ? class_subset_create(d, NULL, &all)
                                  : log_nomem("the queries of a trial");

    if (st == ST_OK) {
        trial->n_queries = n = draw_queries(d, &all, o, queries);
        st = learn_without(d, queries, n, o, trial);
    }
    if (st == ST_OK)
        st = o->pairs != NULL ? class_pairs_list(o->pairs, d, queries, n, &pairs)
                              : class_tools_align(f, d, queries, n, &pairs);
    if (st == ST_OK)
        st = list_all(d, queries, n, &pairs, &r);
    trial->n = n * CLASS_TRIAL_GROUPS;
    if (st == ST_OK)
        st = class_methods_run(d, &all, o->novelty_rate, r.cases, trial->n, trial->of);
    free(queries);
    buf_free(&pairs);
    free(r.cases);
    free(r.first);
    buf_free(&r.lists);
    class_subset_free(&all);
    return st;
}

/* ---- a split ---- */

enum {
    MEMBERS_KNOWN = 3, /* of a class with a held-out gene */
    ABSENT = 300       /* classes left out, at most a quarter */
};

/* A split of the genes. */
typedef struct {
    bool *left_out;     /* [genes] no references */
    int32_t *queries;   /* [n] held-out genes, and one gene of each class left out */
    int32_t *class_ids; /* shuffled */
    int64_t n;
} split_t;

static void split_free(split_t *s)
{
    free(s->left_out);
    free(s->queries);
    free(s->class_ids);
}

static void add_query(split_t *s, int32_t gene)
{
    s->left_out[gene] = true;
    s->queries[s->n++] = gene;
}

static status_t split_create(const class_data_t *d, const class_subset_t *all,
                             uint64_t seed, split_t *s)
{
    const nbc_model_t *m = all->model;
    const int32_t n_classes = d->classes.n;
    const int64_t n_absent = n_classes / 4 < ABSENT ? n_classes / 4 : ABSENT;
    rng_t rng = rng_seed(seed);

    s->left_out = calloc((size_t)d->genes->n + 1, sizeof(*s->left_out));
    s->queries = malloc(((size_t)n_classes + 1) * sizeof(*s->queries));
    s->class_ids = malloc(((size_t)n_classes + 1) * sizeof(*s->class_ids));
    if (s->left_out == NULL || s->queries == NULL || s->class_ids == NULL)
        return log_nomem("the genes of a trial");
    for (int32_t c = 0; c < n_classes; c++)
        s->class_ids[c] = c;
    rng_shuffle(&rng, s->class_ids, n_classes);
    for (int32_t k = 0; k < n_classes; k++) {
        const int32_t c = s->class_ids[k], n = m->class_refs[c];
        const int32_t *members = m->members + m->class_first[c];
        const int32_t drawn = n > 0 ? members[rng_below(&rng, (uint64_t)n)] : -1;

        for (int32_t i = 0; k < n_absent && i < n; i++)
            s->left_out[members[i]] = true;
        if (n > 0 && (k < n_absent || n >= MEMBERS_KNOWN))
            add_query(s, drawn);
    }
    return ST_OK;
}

/* @return as of our methods */
static class_depth_t depth_of(const class_statistics_t *known, const class_case_t *own,
                              const class_peer_lineage_t *found)
{
    const nbc_classes_t *c = known->model->classes;
    class_depth_t depth = {.own = (uint8_t)class_lineage_len(c, own->own_class),
                           .known = (uint8_t)class_depth_known(known, own)};

    while (depth.right < depth.own && depth.right < found->n_ranks &&
           found->taxon[depth.right] ==
               nbc_classes_at(c, own->own_class, depth.right + 1))
        depth.right++;
    for (int k = CLASS_AT_LOW; k <= CLASS_AT_HIGH; k++)
        while (depth.named[k] < found->n_ranks &&
               found->support[depth.named[k]] >= class_setting_support[k])
            depth.named[k]++;
    return depth;
}

static status_t run_peer(const class_peers_t *peers, int peer, const class_data_t *d,
                         const class_folder_t *f, const class_subset_t *model,
                         const split_t *s, const class_case_t *cases,
                         class_trial_t *trial)
{
    class_judged_t *judged = &trial->of[CLASS_BENCH_METHODS + peer];
    const size_t n = (size_t)s->n + 1;
    class_peer_lineage_t *found = malloc(n * sizeof(*found));
    status_t st;

    judged->is_run = true;
    judged->outcomes = malloc(n * sizeof(*judged->outcomes));
    judged->depths = malloc(n * sizeof(*judged->depths));
    st = found != NULL && judged->outcomes != NULL && judged->depths != NULL
             ? class_peer_run(peers, peer, f, d, model, s->queries, s->n, found,
                              &trial->seconds[peer])
             : log_nomem("the outcomes of a trial");
    for (int64_t i = 0; st == ST_OK && i < s->n; i++) {
        const class_peer_lineage_t *l = &found[i];
        const class_depth_t depth = depth_of(&model->known, &cases[i], l);
        const int last = l->n_ranks - 1;

        judged->depths[i] = depth;
        judged->outcomes[i] =
            (class_outcome_t){.probability = last >= 0 ? l->support[last] : -1,
                              .right =
                                  last >= 0 &&
                                  l->taxon[last] == d->classes.taxon[cases[i].own_class],
                              .known = depth.known == depth.own};
    }
    free(found);
    return st;
}

static status_t run_split(const class_data_t *d, const class_folder_t *f,
                          const class_trial_options_t *o, const split_t *s,
                          class_trial_t *trial)
{
    class_case_t *cases = calloc((size_t)s->n + 1, sizeof(*cases));
    class_subset_t model = {0};
    status_t st = cases != NULL ? class_subset_create(d, s->left_out, &model)
                                : log_nomem("the cases of a trial");

    for (int64_t i = 0; st == ST_OK && i < s->n; i++)
        cases[i] = (class_case_t){.read = s->queries[i],
                                  .own_class = d->class_of[s->queries[i]]};
    trial->n = trial->n_queries = s->n;
    if (st == ST_OK)
        st = class_methods_learn(d, &model, o->n_samples, o->seed, trial->of);
    if (st == ST_OK)
        st = class_methods_run(d, &model, o->novelty_rate, cases, s->n, trial->of);
    for (int peer = 0; st == ST_OK && peer < CLASS_PEERS; peer++)
        if (class_peer_runs(&o->peers, peer))
            st = run_peer(&o->peers, peer, d, f, &model, s, cases, trial);
    class_subset_free(&model);
    free(cases);
    return st;
}

status_t class_split_run(const class_data_t *d, const class_folder_t *f,
                         const class_trial_options_t *o, class_trial_t *trial)
{
    class_subset_t all = {0};
    split_t s = {0};
    status_t st = class_subset_create(d, NULL, &all);

    if (st == ST_OK)
        st = split_create(d, &all, o->seed, &s);
    if (st == ST_OK)
        st = run_split(d, f, o, &s, trial);
    split_free(&s);
    class_subset_free(&all);
    return st;
}
