/*
 * filter_case.h - runs a filter over rectangles and keeps what passes; aligns all pairs
 * of a set, to know which reach an identity.
 */
#pragma once

#include "kernels/align/engine/aligner.h"
#include "kernels/align/filter/pair_filter.h"

#include <stdlib.h>
#include <string.h>

static const filter_shape_t filter_case_square = {.triangle = false},
                            filter_case_triangle = {.triangle = true};

/* A copy of a batch's results. */
typedef struct {
    pair_t *pairs;
    int64_t *rect_start; /* [n_rects + 1] */
    int64_t n_rects;
    filter_counts_t counts;
} filter_case_t;

static inline void filter_case_free(filter_case_t *c)
{
    free(c->pairs);
    free(c->rect_start);
    *c = (filter_case_t){0};
}

/* Wait for the oldest batch. @return whether that succeeded */
static inline bool filter_case_take(pair_filter_t *f, int64_t n_rects, filter_case_t *out)
{
    const pair_t *pairs;
    const int64_t *start;
    size_t n;

    *out = (filter_case_t){.n_rects = n_rects};
    if (pair_filter_wait(f, &pairs, &start, &out->counts) != ST_OK)
        return false;
    n = (size_t)start[n_rects];
    out->pairs = malloc(n * sizeof(pair_t) + 1);
    out->rect_start = malloc((size_t)(n_rects + 1) * sizeof(int64_t));
    if (out->pairs == NULL || out->rect_start == NULL)
        return false;
    if (n > 0)
        memcpy(out->pairs, pairs, n * sizeof(pair_t));
    memcpy(out->rect_start, start, (size_t)(n_rects + 1) * sizeof(int64_t));
    return true;
}

/* Run one batch through a filter of its own. @return whether that succeeded */
static inline bool filter_case_run(const device_t *device, pool_t *pool,
                                   const seqset_t *set, const align_spec_t *spec,
                                   fraction_t identity, filter_shape_t shape,
                                   const filter_rect_t *rects, int64_t n_rects,
                                   filter_case_t *out)
{
    pair_filter_t *f = NULL;
    bool good = pair_filter_create(&(align_context_t){device, pool, set, spec, {0}},
                                   identity, shape, &f) == ST_OK &&
                pair_filter_submit(f, rects, n_rects) == ST_OK &&
                filter_case_take(f, n_rects, out);

    pair_filter_destroy(f);
    return good;
}

/* @return whether (row, col) is among the pairs of a rectangle, which are sorted */
static inline bool filter_case_holds(const filter_case_t *c, int64_t rect, int64_t row,
                                     int64_t col)
{
    int64_t low = c->rect_start[rect], high = c->rect_start[rect + 1];

    while (low < high) {
        int64_t middle = (low + high) / 2;
        const pair_t *p = &c->pairs[middle];

        if (p->query < row || (p->query == row && p->target < col))
            low = middle + 1;
        else
            high = middle;
    }
    return low < c->rect_start[rect + 1] && c->pairs[low].query == row &&
           c->pairs[low].target == col;
}

static inline bool filter_case_equal(const filter_case_t *a, const filter_case_t *b)
{
    return a->n_rects == b->n_rects &&
           memcmp(&a->counts, &b->counts, sizeof(a->counts)) == 0 &&
           memcmp(a->rect_start, b->rect_start,
                  (size_t)(a->n_rects + 1) * sizeof(int64_t)) == 0 &&
           memcmp(a->pairs, b->pairs,
                  (size_t)a->rect_start[a->n_rects] * sizeof(pair_t)) == 0;
}

/* All pairs of a set, aligned; (row, col) is at row * n + col. */
typedef struct {
    const seqset_t *set;
    align_spec_t spec;
    pair_t *pairs;
    aligner_t *aligner;
    pair_results_t results;
} filter_truth_t;

static inline void filter_truth_free(filter_truth_t *t)
{
    aligner_destroy(t->aligner);
    free(t->pairs);
    t->aligner = NULL;
    t->pairs = NULL;
}

/* @return whether that succeeded. Neither out nor the set may be moved until out is freed
 */
static inline bool filter_truth_make(const device_t *device, pool_t *pool,
                                     const seqset_t *set, const align_spec_t *spec,
                                     filter_truth_t *out)
{
    int64_t n = set->n;
    pair_batch_t batch = {NULL, n * n};

    *out = (filter_truth_t){.set = set, .spec = *spec};
    batch.pairs = out->pairs = malloc((size_t)(n * n) * sizeof(pair_t));
    if (out->pairs == NULL)
        return false;
    for (int64_t i = 0; i < n * n; i++)
        out->pairs[i] = (pair_t){(int32_t)(i / n), (int32_t)(i % n)};
    return aligner_create(&(align_context_t){device, pool, set, &out->spec, {0}},
                          &(aligner_options_t){.kernel = "auto"},
                          &out->aligner) == ST_OK &&
           aligner_submit(out->aligner, &batch) == ST_OK &&
           aligner_wait(out->aligner, &out->results) == ST_OK;
}

/* @return whether a pair reaches an identity, which may be pair_filter_every */
static inline bool filter_truth_reached(const filter_truth_t *t, int64_t row, int64_t col,
                                        fraction_t identity)
{
    int64_t at = row * t->set->n + col;
    int64_t matches = t->results.matches[at], columns = t->results.columns[at];

    return identity.denominator > 0 && columns > 0 &&
           matches * identity.denominator >= columns * identity.numerator;
}
