/*
 * class_rare.c - lists of references by word, counted per read.
 */
#include "kernels/classify/class_rule.h"

#include "io/base/logmsg.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* In place of a count: the reference is removed. */
#define GONE UINT16_MAX

/* Scratch of one thread. */
typedef struct {
    nbc_words_set_t set;
    uint16_t words[NBC_N_WORDS];
} scratch_t;

typedef struct {
    const class_rare_t *rare;
    _Atomic int64_t *at; /* [NBC_N_WORDS] where the next reference is listed */
    scratch_t *scratch;  /* [n_threads] */
} build_t;

static void list_ref(void *ctx, int64_t ref, int thread)
{
    const build_t *b = ctx;
    const nbc_model_t *m = b->rare->model;
    scratch_t *s = &b->scratch[thread];
    int32_t n;

    if (m->class_of[ref] < 0)
        return;
    n = nbc_words_find(seqset_letters(m->refs, ref), seqset_len(m->refs, ref), &s->set,
                       s->words);
    for (int32_t k = 0; k < n; k++)
        if (m->word_refs[s->words[k]] <= CLASS_RARE_LISTED)
            b->rare->refs[b->at[s->words[k]]++] = (int32_t)ref;
}

/* @return the number of references in all lists */
static int64_t place_lists(const nbc_model_t *m, int64_t *first)
{
    first[0] = 0;
    for (int32_t w = 0; w < NBC_N_WORDS; w++)
        first[w + 1] =
            first[w] + (m->word_refs[w] <= CLASS_RARE_LISTED ? m->word_refs[w] : 0);
    return first[NBC_N_WORDS];
}

status_t class_rare_create(const nbc_model_t *model, pool_t *pool, class_rare_t *out)
{
    class_rare_t r = {.model = model,
                      .first = malloc((NBC_N_WORDS + 1) * sizeof(*r.first))};
    build_t b = {.rare = &r,
                 .at = malloc(NBC_N_WORDS * sizeof(*b.at)),
                 .scratch = calloc((size_t)pool_n_threads(pool), sizeof(*b.scratch))};
    status_t st = ST_OK;

    if (r.first != NULL)
        r.refs = malloc(((size_t)place_lists(model, r.first) + 1) * sizeof(*r.refs));
    if (r.refs == NULL || b.at == NULL || b.scratch == NULL) {
        class_rare_free(&r);
        st = log_nomem("a classifier");
    } else {
        for (int32_t w = 0; w < NBC_N_WORDS; w++)
            atomic_init(&b.at[w], r.first[w]);
        pool_run(pool, model->refs->n, list_ref, &b);
        *out = r;
    }
    free(b.at);
    free(b.scratch);
    return st;
}

void class_rare_free(class_rare_t *r)
{
    free(r->first);
    free(r->refs);
    *r = (class_rare_t){0};
}

/* @return whether few references have a word, without those that are removed */
static bool is_rare(const class_rare_t *r, uint16_t word, bool any_removed,
                    const uint16_t *n_shared)
{
    int64_t n = r->model->word_refs[word];

    if (n <= CLASS_RARE_REFS || n > CLASS_RARE_LISTED || !any_removed)
        return n <= CLASS_RARE_REFS;
    n = 0;
    for (int64_t i = r->first[word]; i < r->first[word + 1]; i++)
        n += n_shared[r->refs[i]] != GONE;
    return n <= CLASS_RARE_REFS;
}

static void count_word(const class_rare_t *r, uint16_t word, uint16_t *n_shared)
{
    for (int64_t i = r->first[word]; i < r->first[word + 1]; i++)
        n_shared[r->refs[i]] =
            (uint16_t)(n_shared[r->refs[i]] + (n_shared[r->refs[i]] < GONE - 1));
}

/* Find the maximum count among references whose lineage has the first k ranks in common
 * with that of the best class. @param most  [n_ranks + 1] by k */
static void find_most(const nbc_model_t *m, int32_t best, const uint16_t *n_shared,
                      int32_t *most)
{
    const nbc_classes_t *c = m->classes;

    memset(most, 0, ((size_t)c->n_ranks + 1) * sizeof(*most));
    for (int64_t ref = 0; ref < m->refs->n; ref++) {
        int k = 0;

        if (n_shared[ref] == 0 || n_shared[ref] == GONE)
            continue;
        while (k < c->n_ranks && nbc_classes_at(c, best, k + 1) >= 0 &&
               nbc_classes_at(c, best, k + 1) ==
                   nbc_classes_at(c, m->class_of[ref], k + 1))
            k++;
        most[k] = n_shared[ref] > most[k] ? n_shared[ref] : most[k];
    }
}

void class_rare_lead(const class_rare_t *r, const class_rare_read_t *read,
                     uint16_t *n_shared, double *lead)
{
    const nbc_classes_t *c = r->model->classes;
    int32_t most[c->n_ranks + 1];
    int32_t n_rare = 0;

    for (int64_t i = 0; i < read->n_removed; i++)
        n_shared[read->removed[i]] = GONE;
    for (int32_t k = 0; k < read->n_words; k++)
        if (is_rare(r, read->words[k], read->n_removed > 0, n_shared)) {
            count_word(r, read->words[k], n_shared);
            n_rare++;
        }
    find_most(r->model, read->best, n_shared, most);
    memset(n_shared, 0, (size_t)r->model->refs->n * sizeof(*n_shared));
    for (int rank = 1; rank <= c->n_ranks; rank++) {
        int32_t own = 0, other = 0;

        for (int k = 0; k <= c->n_ranks; k++)
            if (k >= rank)
                own = most[k] > own ? most[k] : own;
            else
                other = most[k] > other ? most[k] : other;
        lead[rank - 1] = n_rare > 0 && nbc_classes_at(c, read->best, rank) >= 0
                             ? (double)(own - other) / n_rare
                             : 0;
    }
}
