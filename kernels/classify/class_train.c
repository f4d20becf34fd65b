/*
 * class_train.c - draws samples, compares their words with those of all references, and
 * lists the references that each case lacks.
 */
#include "kernels/classify/class_train.h"

#include "io/base/logmsg.h"
#include "io/base/rng.h"

#include <stdlib.h>
#include <string.h>

enum { LAST = CLASS_TRAIN_DISTANCES - 1, SET_WORDS = NBC_N_WORDS / 64 };

/* The fraction of words above which a reference is removed. */
static const double limit[CLASS_TRAIN_DISTANCES] = {2, 0.935, 0.84, 0.76, 0.58};

/* Scratch of one thread. */
typedef struct {
    nbc_words_set_t set;
    uint16_t words[NBC_N_WORDS];
} scratch_t;

/* Some of the samples. */
typedef struct {
    const nbc_model_t *model;
    const int32_t *samples; /* [n] references */
    const int32_t *absent;  /* [n] */
    const int *higher;      /* [n] */
    int64_t n;
    int64_t first_part; /* of the samples' parts; -1: they are not cut */
    int n_groups;
    uint64_t *seen;     /* [n][SET_WORDS] a bit per word of the sample */
    int32_t *n_words;   /* [n] of the sample */
    uint8_t *level;     /* [refs][n] how many of the limits the pair exceeds */
    scratch_t *scratch; /* [n_threads] */
    class_train_cases_t *out;
} train_t;

/* @return the reference that a case classifies */
static inline int32_t ref_of(const train_t *t, int64_t s, int group)
{
    return group < CLASS_TRAIN_DISTANCES ? t->samples[s] : t->absent[s];
}

/* @return whether the case of a sample lacks a reference */
static bool lacks(const train_t *t, int64_t s, int group, int64_t ref)
{
    const nbc_model_t *m = t->model;
    const int32_t sample = ref_of(t, s, group);
    const int32_t own = m->class_of[sample], other = m->class_of[ref];

    if (other < 0)
        return false;
    if (ref == sample)
        return true;
    if (group < CLASS_TRAIN_DISTANCES)
        return group + t->level[ref * t->n + s] > LAST;
    return group == CLASS_TRAIN_OWN ? own == other
                                    : nbc_classes_at(m->classes, own, t->higher[s]) ==
                                          nbc_classes_at(m->classes, other, t->higher[s]);
}

static void mark_sample(void *ctx, int64_t s, int thread)
{
    const train_t *t = ctx;
    const seqset_t *refs = t->model->refs;
    scratch_t *own = &t->scratch[thread];
    uint64_t *seen = t->seen + s * SET_WORDS;

    t->n_words[s] =
        nbc_words_find(seqset_letters(refs, t->samples[s]),
                       seqset_len(refs, t->samples[s]), &own->set, own->words);
    for (int32_t k = 0; k < t->n_words[s]; k++)
        seen[own->words[k] / 64] |= UINT64_C(1) << own->words[k] % 64;
}

static void compare_ref(void *ctx, int64_t ref, int thread)
{
    const train_t *t = ctx;
    const seqset_t *refs = t->model->refs;
    scratch_t *own = &t->scratch[thread];
    const int32_t n = nbc_words_find(seqset_letters(refs, ref), seqset_len(refs, ref),
                                     &own->set, own->words);

    for (int64_t s = 0; s < t->n; s++) {
        const uint64_t *seen = t->seen + s * SET_WORDS;
        uint8_t *level = &t->level[ref * t->n + s];
        int32_t n_shared = 0;

        for (int32_t k = 0; k < n; k++)
            n_shared += (int32_t)(seen[own->words[k] / 64] >> own->words[k] % 64 & 1);
        *level = 0;
        for (int d = 1; d < CLASS_TRAIN_DISTANCES; d++)
            *level = (uint8_t)(*level + (n_shared > limit[d] * t->n_words[s]));
    }
}

static void count_case(void *ctx, int64_t i, int thread)
{
    const train_t *t = ctx;
    class_case_t *c = &t->out->cases[i];
    const int64_t s = i / t->n_groups;
    const int group = CLASS_TRAIN_GROUPS - t->n_groups + (int)(i % t->n_groups);
    const int32_t sample = ref_of(t, s, group), own = t->model->class_of[sample];

    (void)thread;
    *c = (class_case_t){.read = t->first_part >= 0 ? t->first_part + s : sample,
                        .own_class = own,
                        .group = group};
    if (c->group == CLASS_TRAIN_OWN)
        c->absent_rank = class_lineage_len(t->model->classes, own);
    if (c->group == CLASS_TRAIN_HIGHER)
        c->absent_rank = t->higher[s];
    for (int64_t ref = 0; ref < t->model->refs->n; ref++)
        c->n_removed += lacks(t, s, c->group, ref);
}

static void list_case(void *ctx, int64_t i, int thread)
{
    const train_t *t = ctx;
    const class_case_t *c = &t->out->cases[i];
    int32_t *removed = t->out->removed + (c->removed - t->out->removed);

    (void)thread;
    for (int64_t ref = 0; ref < t->model->refs->n; ref++)
        if (lacks(t, i / t->n_groups, c->group, ref))
            *removed++ = (int32_t)ref;
}

/* Shuffle the references that have a class to the front. @return their number */
static int64_t draw(const nbc_model_t *m, uint64_t seed, int32_t *samples)
{
    rng_t rng = rng_seed(seed);
    int64_t n = 0;

    for (int64_t i = 0; i < m->refs->n; i++)
        if (m->class_of[i] >= 0)
            samples[n++] = (int32_t)i;
    rng_shuffle(&rng, samples, n);
    return n;
}

/* Sort references by class. @param end  [classes + 1] zeros; then the end of each class
 * @param members  [n] */
static void sort_by_class(const nbc_model_t *m, const int32_t *refs, int64_t n,
                          int64_t *end, int32_t *members)
{
    for (int64_t i = 0; i < n; i++)
        end[m->class_of[refs[i]] + 1]++;
    for (int32_t c = 0; c < m->classes->n; c++)
        end[c + 1] += end[c];
    for (int64_t i = 0; i < n; i++)
        members[end[m->class_of[refs[i]]]++] = refs[i];
}

/* Choose a reference of each class in turn, and in the next round another one. References
 * of a class with others below may be of any of them: to leave it out makes none absent.
 * @param n_refs  that have a class, shuffled */
static status_t draw_absent(class_train_t *t, int64_t n_refs, uint64_t seed)
{
    const int32_t n_classes = t->model->classes->n;
    int64_t *end = calloc((size_t)n_classes + 1, sizeof(*end));
    int32_t *members = malloc(((size_t)n_refs + 1) * sizeof(*members));
    int32_t *turns = malloc(((size_t)n_classes + 1) * sizeof(*turns));
    rng_t rng = rng_seed(seed + 2);
    int32_t n = 0;
    status_t st = ST_ENOMEM;

    if (end == NULL || members == NULL || turns == NULL)
        goto done;
    sort_by_class(t->model, t->refs, n_refs, end, members);
    for (int32_t c = 0; c < n_classes; c++)
        if (end[c] > (c > 0 ? end[c - 1] : 0) && !class_is_above(t->model->classes, c))
            turns[n++] = c;
    rng_shuffle(&rng, turns, n);
    if (n == 0)
        t->n = 0;
    for (int64_t s = 0; s < t->n; s++) {
        const int32_t c = turns[s % n];
        const int64_t first = c > 0 ? end[c - 1] : 0;

        t->absent[s] = members[first + s / n % (end[c] - first)];
    }
    st = ST_OK;
done:
    free(end);
    free(members);
    free(turns);
    return st;
}

/* Choose the higher taxa; not the highest of a lineage that has more, which is most of
 * the references. */
static void choose_higher(class_train_t *t, uint64_t seed)
{
    const nbc_classes_t *c = t->model->classes;
    rng_t rng = rng_seed(seed + 1);

    for (int64_t s = 0; s < t->n; s++) {
        const int len = class_lineage_len(c, t->model->class_of[t->absent[s]]);

        t->higher[s] = len > 2 ? 2 + (int)rng_below(&rng, (uint64_t)len - 2) : 1;
    }
}

status_t class_train_create(const nbc_model_t *model, int64_t n_samples, uint64_t seed,
                            class_train_t *out)
{
    const size_t n_refs = (size_t)model->refs->n;
    class_train_t t = {.model = model, .refs = malloc((n_refs + 1) * sizeof(*t.refs))};
    int64_t n_drawn = 0;

    if (t.refs != NULL) {
        n_drawn = draw(model, seed, t.refs);
        t.n = n_drawn < n_samples ? n_drawn : n_samples;
        t.absent = malloc(((size_t)t.n + 1) * sizeof(*t.absent));
        t.higher = malloc(((size_t)t.n + 1) * sizeof(*t.higher));
    }
    if (t.absent == NULL || t.higher == NULL || draw_absent(&t, n_drawn, seed) != ST_OK) {
        class_train_free(&t);
        return log_nomem("the samples of a classifier");
    }
    choose_higher(&t, seed);
    *out = t;
    return ST_OK;
}

void class_train_free(class_train_t *t)
{
    free(t->refs);
    free(t->absent);
    free(t->higher);
    *t = (class_train_t){0};
}

static status_t list_all(train_t *t, pool_t *pool)
{
    class_train_cases_t *out = t->out;
    int64_t total = 0;

    if (t->n_groups == CLASS_TRAIN_GROUPS) { /* some cases go by distance */
        pool_run(pool, t->n, mark_sample, t);
        pool_run(pool, t->model->refs->n, compare_ref, t);
    }
    pool_run(pool, out->n, count_case, t);
    for (int64_t i = 0; i < out->n; i++)
        total += out->cases[i].n_removed;
    if ((out->removed = malloc(((size_t)total + 1) * sizeof(*out->removed))) == NULL)
        return log_nomem("the examples of a classifier");
    total = 0;
    for (int64_t i = 0; i < out->n; i++) {
        out->cases[i].removed = out->removed + total;
        total += out->cases[i].n_removed;
    }
    pool_run(pool, out->n, list_case, t);
    return ST_OK;
}

status_t class_train_list(const class_train_t *train, int64_t first, int64_t n,
                          pool_t *pool, class_train_cases_t *out)
{
    const int n_groups = class_train_n_groups(train);
    class_train_cases_t result = {.n = n * n_groups};
    train_t t = {.model = train->model,
                 .samples = train->refs + first,
                 .absent = train->absent + first,
                 .higher = train->higher + first,
                 .n = n,
                 .first_part = train->is_cut ? first : -1,
                 .n_groups = n_groups,
                 .out = &result};
    status_t st = ST_ENOMEM;

    result.cases = malloc(((size_t)result.n + 1) * sizeof(*result.cases));
    t.seen = calloc((size_t)n * SET_WORDS + 1, sizeof(*t.seen));
    t.n_words = malloc(((size_t)n + 1) * sizeof(*t.n_words));
    t.level = malloc((size_t)train->model->refs->n * (size_t)n + 1);
    t.scratch = calloc((size_t)pool_n_threads(pool), sizeof(*t.scratch));
    if (result.cases == NULL || t.seen == NULL || t.n_words == NULL || t.level == NULL ||
        t.scratch == NULL)
        (void)log_nomem("the examples of a classifier");
    else
        st = list_all(&t, pool);
    free(t.seen);
    free(t.n_words);
    free(t.level);
    free(t.scratch);
    if (st == ST_OK)
        *out = result;
    else
        class_train_cases_free(&result);
    return st;
}

void class_train_cases_free(class_train_cases_t *c)
{
    free(c->cases);
    free(c->removed);
    *c = (class_train_cases_t){0};
}
