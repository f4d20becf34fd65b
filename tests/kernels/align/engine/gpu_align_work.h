/*
 * gpu_align_work.h - pairs that gpu_align compares, and the results that it expects.
 */
#pragma once

#include "tests/support/cigar_equal.h"
#include "tests/support/random_set.h"

#include <stdio.h>
#include <stdlib.h>

/* Pairs of a set, and their results by the reference: unknown until a backend takes some
 * of the pairs. */
typedef struct {
    seqset_t *set;
    pair_t *pairs;
    int64_t n;
    align_spec_t spec;    /* of the reference, with all outputs */
    aligner_t *reference; /* NULL: unknown */
    pair_results_t want;
} work_t;

/* How the expected results are computed. */
typedef struct {
    device_t cpu;
    pool_t *pool;
    const char *kernel;
    align_run_t run;
    align_emit_t max_emit; /* outputs up to this one are compared */
} reference_t;

static inline void forget_results(work_t *w)
{
    aligner_destroy(w->reference);
    w->reference = NULL;
}

static inline void free_work(work_t *w)
{
    forget_results(w);
    seqset_destroy(w->set);
    free(w->pairs);
    *w = (work_t){0};
}

/* @return a set without pairs if memory is short */
static inline work_t random_work(bool proteins, rng_t *rng, const random_set_opts_t *opts,
                                 int64_t n)
{
    work_t w = {.n = n};

    if ((proteins ? random_set_create_proteins : random_set_create)(rng, opts, &w.set) !=
            ST_OK ||
        (w.pairs = malloc((size_t)n * sizeof(pair_t))) == NULL)
        return w;
    random_set_pairs(rng, w.set, n, w.pairs);
    return w;
}

/* Every pair of a written set, both ways and with itself; none if memory is short. */
static inline work_t spelled_work(const char *text)
{
    work_t w = {.n = 0};

    if (text == NULL || random_set_spell(text, &w.set) != ST_OK ||
        (w.pairs = malloc((size_t)(w.set->n * w.set->n) * sizeof(pair_t))) == NULL)
        return w;
    for (int32_t i = 0; i < w.set->n; i++)
        for (int32_t j = 0; j < w.set->n; j++)
            w.pairs[w.n++] = (pair_t){i, j};
    return w;
}

static inline bool run(aligner_t *a, const pair_batch_t *batch, pair_results_t *out)
{
    return aligner_submit(a, batch) == ST_OK && aligner_wait(a, out) == ST_OK;
}

/* Compute the expected results, once per setting. @return false: failed */
static inline bool know_results(work_t *w, const reference_t *by,
                                const align_spec_t *spec)
{
    pair_batch_t batch = {w->pairs, w->n};

    if (w->reference != NULL)
        return true;
    w->spec = *spec;
    w->spec.emit = by->max_emit;
    if (aligner_create(&(align_context_t){&by->cpu, by->pool, w->set, &w->spec, by->run},
                       &(aligner_options_t){.kernel = by->kernel},
                       &w->reference) == ST_OK &&
        run(w->reference, &batch, &w->want))
        return true;
    forget_results(w);
    return false;
}

/* @return whether a slice of the results is as expected; prints the first that is not */
static inline bool slice_equals(const work_t *w, int64_t first, int64_t n, bool joined,
                                const pair_results_t *got)
{
    for (int64_t i = 0; i < n; i++) {
        int64_t at = first + i;
        const pair_t *p = &w->pairs[at];
        int32_t matches = got->matches != NULL ? got->matches[i] : w->want.matches[at];
        int32_t columns = got->columns != NULL ? got->columns[i] : w->want.columns[at];

        if (got->score[i] == w->want.score[at] && matches == w->want.matches[at] &&
            columns == w->want.columns[at] &&
            cigar_equal(got, i, joined, w->want.cigar, w->want.cigar_start, at))
            continue;
        printf("  pair %d,%d of %lld and %lld bases: %d %d %d, not %d %d %d\n", p->query,
               p->target, (long long)seqset_len(w->set, p->query),
               (long long)seqset_len(w->set, p->target), got->score[i], matches, columns,
               w->want.score[at], w->want.matches[at], w->want.columns[at]);
        return false;
    }
    return true;
}
