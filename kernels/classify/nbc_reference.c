/*
 * nbc_reference.c - nbc_spec.h, step by step.
 *
 * Costs are doubles with integer values, which they hold exactly.
 */
#include "kernels/classify/nbc_backend.h"

#include "io/base/logmsg.h"

#include <stdlib.h>
#include <string.h>

/* A read in one orientation. */
typedef struct {
    uint16_t words[NBC_N_WORDS];
    int32_t n_words;
    double *cost; /* [n_classes] for all words */
    int32_t best; /* -1: none */
} oriented_t;

typedef struct {
    const nbc_model_t *model;
    nbc_options_t options;
    nbc_words_set_t set;
    oriented_t strand[2];
    double *cost;    /* [n_classes] of a resample */
    int32_t *winner; /* [n_resamples] */
    const nbc_batch_t *batches[NBC_DEPTH];
    int newest, oldest; /* batches begun and finished, counted from 0 */
    nbc_results_t results;
} reference_t;

/* Compute the cost of words under every class. @return the best class, or -1 */
static int32_t find_best(const nbc_model_t *m, const uint16_t *words, int32_t n_words,
                         double *cost)
{
    double of_words = 0;
    int32_t best = -1;

    for (int32_t k = 0; k < n_words; k++)
        of_words += nbc_word_cost(m->word_refs[words[k]], m->n_refs);
    for (int32_t c = 0; c < m->classes->n; c++)
        cost[c] = of_words + nbc_class_cost(nbc_class_rate(m->class_refs[c]), n_words);
    for (int32_t k = 0; k < n_words; k++)
        for (int64_t i = m->word_first[words[k]]; i < m->word_first[words[k] + 1]; i++)
            cost[m->counts[i].class_number] -=
                nbc_gain(m->counts[i].n_refs, m->word_refs[words[k]], m->n_refs);
    for (int32_t c = 0; c < m->classes->n; c++)
        if (m->class_refs[c] > 0 && n_words > 0 && (best < 0 || cost[c] < cost[best]))
            best = c;
    return best;
}

static const oriented_t *choose_strand(reference_t *s, const uint8_t *letters,
                                       int64_t len)
{
    oriented_t *forward = &s->strand[0], *reverse = &s->strand[1];

    forward->n_words = nbc_words_find(letters, len, &s->set, forward->words);
    forward->best = find_best(s->model, forward->words, forward->n_words, forward->cost);
    if (!s->options.both_strands || forward->best < 0)
        return forward;
    reverse->n_words = forward->n_words;
    nbc_words_reverse(forward->words, forward->n_words, &s->set, reverse->words);
    reverse->best = find_best(s->model, reverse->words, reverse->n_words, reverse->cost);
    return reverse->cost[reverse->best] < forward->cost[forward->best] ? reverse
                                                                       : forward;
}

static void resample(reference_t *s, const oriented_t *read)
{
    const int32_t n_draws = nbc_n_draws(read->n_words);
    const uint64_t key = nbc_words_key(s->options.seed, read->words, read->n_words);
    uint16_t *drawn = s->strand[read == &s->strand[0]].words; /* no longer needed */

    for (int r = 0; r < s->options.n_resamples; r++) {
        for (int32_t k = 0; k < n_draws; k++)
            drawn[k] = read->words[nbc_draw(key, r, k, read->n_words)];
        s->winner[r] = find_best(s->model, drawn, n_draws, s->cost);
    }
}

static void put_rank(const reference_t *s, const oriented_t *read, int rank,
                     uint16_t *support, int32_t *rival)
{
    const nbc_model_t *m = s->model;
    int32_t taxon = nbc_classes_at(m->classes, read->best, rank);

    *support = 0;
    *rival = NBC_COST_NONE;
    if (taxon < 0)
        return;
    for (int r = 0; r < s->options.n_resamples; r++)
        if (nbc_classes_at(m->classes, s->winner[r], rank) == taxon)
            (*support)++;
    for (int32_t c = 0; c < m->classes->n; c++)
        if (m->class_refs[c] > 0 && nbc_classes_at(m->classes, c, rank) != taxon &&
            read->cost[c] < *rival)
            *rival = (int32_t)read->cost[c];
}

static void classify(reference_t *s, const seqset_t *reads, int64_t i, int64_t row)
{
    const int n_ranks = s->model->classes->n_ranks;
    const oriented_t *read =
        choose_strand(s, seqset_letters(reads, i), seqset_len(reads, i));
    nbc_results_t *out = &s->results;

    out->best[row] = (nbc_best_t){.class_number = read->best,
                                  .n_words = read->n_words,
                                  .cost = NBC_COST_NONE,
                                  .reversed = read == &s->strand[1]};
    memset(out->support + row * n_ranks, 0, (size_t)n_ranks * sizeof(*out->support));
    for (int r = 0; r < n_ranks; r++)
        out->rival[row * n_ranks + r] = NBC_COST_NONE;
    if (read->best < 0)
        return;
    out->best[row].cost = (int32_t)read->cost[read->best];
    resample(s, read);
    for (int r = 0; r < n_ranks; r++)
        put_rank(s, read, r + 1, &out->support[row * n_ranks + r],
                 &out->rival[row * n_ranks + r]);
}

static bool takes(const nbc_context_t *context)
{
    (void)context;
    return true;
}

static void destroy(void *state)
{
    reference_t *s = state;

    if (s == NULL)
        return;
    free(s->strand[0].cost);
    free(s->strand[1].cost);
    free(s->cost);
    free(s->winner);
    nbc_results_free(&s->results);
    free(s);
}

static status_t create(const nbc_context_t *context, void **state)
{
    size_t n = (size_t)context->model->classes->n + 1;
    reference_t *s = calloc(1, sizeof(*s));

    if (s == NULL)
        return log_nomem("a classifier");
    s->model = context->model;
    s->options = context->options;
    s->strand[0].cost = malloc(n * sizeof(double));
    s->strand[1].cost = malloc(n * sizeof(double));
    s->cost = malloc(n * sizeof(double));
    s->winner = malloc(((size_t)s->options.n_resamples + 1) * sizeof(*s->winner));
    if (s->strand[0].cost == NULL || s->strand[1].cost == NULL || s->cost == NULL ||
        s->winner == NULL) {
        destroy(s);
        return log_nomem("a classifier");
    }
    *state = s;
    return ST_OK;
}

static status_t submit(void *state, const nbc_batch_t *batch)
{
    reference_t *s = state;

    s->batches[s->newest++ % NBC_DEPTH] = batch;
    return ST_OK;
}

static status_t wait(void *state, nbc_results_t *out)
{
    reference_t *s = state;
    const nbc_batch_t *batch = s->batches[s->oldest++ % NBC_DEPTH];
    status_t st;

    nbc_results_free(&s->results);
    st = nbc_results_create(batch->n, s->model->classes->n_ranks, &s->results);
    if (st != ST_OK)
        return st;
    for (int64_t i = 0; i < batch->n; i++)
        classify(s, batch->reads, batch->first + i, i);
    *out = s->results;
    return ST_OK;
}

const nbc_backend_t nbc_reference_backend = {
    .base = {.name = "reference", .kind = DEVICE_CPU, .rate = 1e7},
    .takes = takes,
    .create = create,
    .submit = submit,
    .wait = wait,
    .destroy = destroy,
};
