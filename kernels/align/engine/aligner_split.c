/*
 * aligner_split.c - splits a batch between backends, and merges their results.
 */
#include "kernels/align/engine/trial.h"

#include "io/base/logmsg.h"

#include <stdlib.h>
#include <string.h>

enum { PIECE_PAIRS = 1 << 15 }; /* pairs per work item of the thread pool */

static int64_t n_pieces(int64_t n)
{
    return (n + PIECE_PAIRS - 1) / PIECE_PAIRS;
}

/* Reserve memory for n pairs in every backend's sub-batch. */
static status_t grow_sub_batches(aligner_t *a, int slot, int64_t n)
{
    bool good = true;

    if (n <= a->sub_capacity[slot])
        return ST_OK;
    a->sub_capacity[slot] = 0;
    for (int k = 0; k < a->n_ranked; k++) {
        sub_batch_t *sub = &a->ranked[k].sub[slot];

        free(sub->pairs);
        free(sub->index);
        sub->pairs = malloc((size_t)n * sizeof(pair_t));
        sub->index = malloc((size_t)n * sizeof(int64_t));
        good = good && sub->pairs != NULL && sub->index != NULL;
    }
    if (!good)
        return log_nomem("a batch");
    a->sub_capacity[slot] = n;
    return ST_OK;
}

static status_t grow_choice(aligner_t *a, int64_t n)
{
    size_t n_starts = (size_t)n_pieces(n) * (size_t)a->n_ranked;

    if (n <= a->split_capacity)
        return ST_OK;
    a->split_capacity = 0;
    free(a->choice);
    free(a->piece_start);
    a->choice = malloc((size_t)n * sizeof(*a->choice));
    a->piece_start = malloc(n_starts * sizeof(*a->piece_start));
    if (a->choice == NULL || a->piece_start == NULL)
        return log_nomem("a batch");
    a->split_capacity = n;
    return ST_OK;
}

typedef struct {
    aligner_t *aligner;
    const pair_batch_t *batch;
    int slot;
} split_t;

static bool takes(const aligner_t *a, const ranked_backend_t *r, int64_t m, int64_t n)
{
    return (m <= r->max_len && n <= r->max_len) || m <= r->max_shorter ||
           n <= r->max_shorter ||
           aligner_backend_takes(r->backend, aligner_context_of(a, r->backend), m, n);
}

/* It ends: aligner_create has made sure that one backend takes all pairs of the set. */
static int choose_backend(const aligner_t *a, pair_t pair)
{
    int64_t m = seqset_len(a->context.set, pair.query);
    int64_t n = seqset_len(a->context.set, pair.target);
    int k = a->first_of[trial_class(m, n)];

    if (!takes(a, &a->ranked[k], m, n))
        k = 0;
    while (!takes(a, &a->ranked[k], m, n))
        k++;
    return k;
}

/* Choose a backend for each pair of a piece, and count each backend's pairs. */
static void choose_piece(void *ctx, int64_t piece, int thread)
{
    const split_t *s = ctx;
    aligner_t *a = s->aligner;
    int64_t end = (piece + 1) * PIECE_PAIRS;
    int64_t *count = a->piece_start + piece * a->n_ranked;

    (void)thread;
    memset(count, 0, (size_t)a->n_ranked * sizeof(*count));
    for (int64_t i = piece * PIECE_PAIRS; i < end && i < s->batch->n; i++) {
        int k = choose_backend(a, s->batch->pairs[i]);

        a->choice[i] = (uint16_t)k;
        count[k]++;
    }
}

static void put_piece(void *ctx, int64_t piece, int thread)
{
    const split_t *s = ctx;
    aligner_t *a = s->aligner;
    int64_t end = (piece + 1) * PIECE_PAIRS;
    int64_t *at = a->piece_start + piece * a->n_ranked;

    (void)thread;
    for (int64_t i = piece * PIECE_PAIRS; i < end && i < s->batch->n; i++) {
        int k = a->choice[i];
        sub_batch_t *sub = &a->ranked[k].sub[s->slot];

        sub->index[at[k]] = i;
        sub->pairs[at[k]++] = s->batch->pairs[i];
    }
}

status_t aligner_split_batch(aligner_t *a, const pair_batch_t *batch, int slot)
{
    split_t split = {a, batch, slot};
    int64_t pieces = n_pieces(batch->n);
    status_t st;

    if ((st = grow_sub_batches(a, slot, batch->n)) != ST_OK ||
        (st = grow_choice(a, batch->n)) != ST_OK)
        return st;
    pool_run(a->context.pool, pieces, choose_piece, &split);
    for (int k = 0; k < a->n_ranked; k++) { /* counts become starts */
        sub_batch_t *sub = &a->ranked[k].sub[slot];
        int64_t sum = 0;

        for (int64_t p = 0; p < pieces; p++) {
            int64_t count = a->piece_start[p * a->n_ranked + k];

            a->piece_start[p * a->n_ranked + k] = sum;
            sum += count;
        }
        sub->batch = (pair_batch_t){sub->pairs, sum};
    }
    pool_run(a->context.pool, pieces, put_piece, &split);
    return ST_OK;
}

status_t aligner_split_reserve(aligner_t *a, int64_t n)
{
    bool identity = align_has_identity(a->context.spec);

    if (n <= a->capacity && a->cigar_start != NULL)
        return ST_OK;
    a->capacity = 0;
    free(a->merged.score);
    free(a->merged.matches);
    free(a->merged.columns);
    a->merged.score = malloc((size_t)n * sizeof(int32_t));
    a->merged.matches = identity ? malloc((size_t)n * sizeof(int32_t)) : NULL;
    a->merged.columns = identity ? malloc((size_t)n * sizeof(int32_t)) : NULL;
    free(a->cigar_start);
    a->cigar_start = malloc((size_t)(n + 1) * sizeof(int64_t));
    if (a->merged.score == NULL || a->cigar_start == NULL ||
        (identity && (a->merged.matches == NULL || a->merged.columns == NULL)))
        return log_nomem("a batch");
    a->capacity = n;
    return ST_OK;
}

typedef struct {
    aligner_t *aligner;
    const pair_results_t *from;
    const sub_batch_t *sub;
} merge_t;

static void merge_piece(void *ctx, int64_t piece, int thread)
{
    const merge_t *m = ctx;
    pair_results_t *to = &m->aligner->merged;
    int64_t end = (piece + 1) * PIECE_PAIRS;

    (void)thread;
    for (int64_t i = piece * PIECE_PAIRS; i < end && i < m->sub->batch.n; i++) {
        int64_t at = m->sub->index[i];

        to->score[at] = m->from->score[i];
        if (to->matches != NULL) {
            to->matches[at] = m->from->matches[i];
            to->columns[at] = m->from->columns[i];
        }
        if (m->from->cigar_start != NULL) /* the sum follows */
            m->aligner->cigar_start[at + 1] =
                m->from->cigar_start[i + 1] - m->from->cigar_start[i];
    }
}

void aligner_split_merge(aligner_t *a, const ranked_backend_t *ranked, int slot)
{
    merge_t merge = {a, &ranked->results, &ranked->sub[slot]};

    pool_run(a->context.pool, n_pieces(merge.sub->batch.n), merge_piece, &merge);
}

/* Copy the runs of a piece of a backend's pairs. */
static void copy_runs(void *ctx, int64_t piece, int thread)
{
    const merge_t *m = ctx;
    uint32_t *to = (uint32_t *)(void *)m->aligner->cigar.data;
    int64_t end = (piece + 1) * PIECE_PAIRS;

    (void)thread;
    for (int64_t i = piece * PIECE_PAIRS; i < end && i < m->sub->batch.n; i++) {
        const int64_t *start = m->from->cigar_start + i;

        memcpy(to + m->aligner->cigar_start[m->sub->index[i]], m->from->cigar + start[0],
               (size_t)(start[1] - start[0]) * sizeof(*to));
    }
}

status_t aligner_split_merge_cigars(aligner_t *a, int slot)
{
    status_t st;

    a->cigar_start[0] = 0;
    for (int64_t i = 0; i < a->batch->n; i++)
        a->cigar_start[i + 1] += a->cigar_start[i];
    st = buf_reserve(&a->cigar,
                     (size_t)(a->cigar_start[a->batch->n] + 1) * sizeof(uint32_t));
    if (st != ST_OK)
        return st;
    for (int k = 0; k < a->n_ranked; k++) {
        merge_t merge = {a, &a->ranked[k].results, &a->ranked[k].sub[slot]};

        pool_run(a->context.pool, n_pieces(merge.sub->batch.n), copy_runs, &merge);
    }
    a->merged.cigar_start = a->cigar_start;
    a->merged.cigar = (const uint32_t *)(const void *)a->cigar.data;
    return ST_OK;
}

typedef struct {
    const aligner_t *aligner;
    pair_results_t *results;
} clear_t;

static void clear_piece(void *ctx, int64_t piece, int thread)
{
    const clear_t *c = ctx;
    const aligner_t *a = c->aligner;
    int64_t end = (piece + 1) * PIECE_PAIRS;

    (void)thread;
    for (int64_t i = piece * PIECE_PAIRS; i < end && i < a->batch->n; i++) {
        int64_t m = seqset_len(a->context.set, a->batch->pairs[i].query);
        int64_t n = seqset_len(a->context.set, a->batch->pairs[i].target);

        if (!align_overlap_suffices(a->context.spec, m, n, c->results->columns[i]))
            c->results->matches[i] = c->results->columns[i] = 0;
    }
}

void aligner_split_clear_short(const aligner_t *a, pair_results_t *out)
{
    clear_t clear = {a, out};

    if (align_has_identity(a->context.spec) &&
        align_ends_limit_overlap(a->context.spec->ends))
        pool_run(a->context.pool, n_pieces(a->batch->n), clear_piece, &clear);
}

void aligner_split_free(aligner_t *a)
{
    for (int k = 0; k < a->n_ranked; k++)
        for (int slot = 0; slot < ALIGNER_DEPTH; slot++) {
            free(a->ranked[k].sub[slot].pairs);
            free(a->ranked[k].sub[slot].index);
        }
    free(a->choice);
    free(a->piece_start);
    free(a->merged.score);
    free(a->merged.matches);
    free(a->merged.columns);
    free(a->cigar_start);
    buf_free(&a->cigar);
}
