#include "kernels/align/engine/aligner_parts.h"

#include "io/base/logmsg.h"

#include <stdlib.h>
#include <string.h>

enum { PIECE_PAIRS = 1 << 15 }; /* of a batch, for a thread */

static int64_t n_pieces(int64_t n)
{
    return (n + PIECE_PAIRS - 1) / PIECE_PAIRS;
}

/* Room for a batch's pairs in every share. */
static status_t grow_parts(aligner_t *a, int slot, int64_t n)
{
    bool good = true;

    if (n <= a->part_capacity[slot])
        return ST_OK;
    a->part_capacity[slot] = 0;
    for (int k = 0; k < a->n_shares; k++) {
        aligner_part_t *part = &a->shares[k].parts[slot];

        free(part->pairs);
        free(part->index);
        part->pairs = malloc((size_t)n * sizeof(pair_t));
        part->index = malloc((size_t)n * sizeof(int64_t));
        good = good && part->pairs != NULL && part->index != NULL;
    }
    if (!good)
        return log_nomem("a batch");
    a->part_capacity[slot] = n;
    return ST_OK;
}

static status_t grow_dealt(aligner_t *a, int64_t n)
{
    size_t pieces = (size_t)n_pieces(n);

    if (n <= a->dealt_capacity)
        return ST_OK;
    a->dealt_capacity = 0;
    free(a->share_of_pair);
    free(a->piece_start);
    a->share_of_pair = malloc((size_t)n);
    a->piece_start = malloc(pieces * ALIGNER_ROWS_MAX * sizeof(*a->piece_start));
    if (a->share_of_pair == NULL || a->piece_start == NULL)
        return log_nomem("a batch");
    a->dealt_capacity = n;
    return ST_OK;
}

typedef struct {
    aligner_t *aligner;
    const pair_batch_t *batch;
    int slot;
} deal_t;

static bool takes(const aligner_t *a, const aligner_share_t *share, int64_t m, int64_t n)
{
    return (m <= share->most && n <= share->most) ||
           aligner_backend_takes(share->backend, aligner_context_of(a, share), m, n);
}

static int choose_share(const aligner_t *a, pair_t pair)
{
    int64_t m = seqset_len(a->context.set, pair.query),
            n = seqset_len(a->context.set, pair.target);
    int k = a->first[trial_class(m, n)];

    if (!takes(a, &a->shares[k], m, n))
        k = 0;
    while (!takes(a, &a->shares[k], m, n))
        k++;
    return k;
}

/* Choose a share for each pair of a piece, and count each share's. */
static void choose_piece(void *ctx, int64_t item, int thread)
{
    const deal_t *d = ctx;
    int64_t end = (item + 1) * PIECE_PAIRS, count[ALIGNER_ROWS_MAX] = {0};

    (void)thread;
    for (int64_t i = item * PIECE_PAIRS; i < end && i < d->batch->n; i++) {
        int k = choose_share(d->aligner, d->batch->pairs[i]);

        d->aligner->share_of_pair[i] = (uint8_t)k;
        count[k]++;
    }
    memcpy(d->aligner->piece_start + item * ALIGNER_ROWS_MAX, count, sizeof(count));
}

static void put_piece(void *ctx, int64_t item, int thread)
{
    const deal_t *d = ctx;
    int64_t end = (item + 1) * PIECE_PAIRS, *at;

    (void)thread;
    at = d->aligner->piece_start + item * ALIGNER_ROWS_MAX;
    for (int64_t i = item * PIECE_PAIRS; i < end && i < d->batch->n; i++) {
        int k = d->aligner->share_of_pair[i];
        aligner_part_t *part = &d->aligner->shares[k].parts[d->slot];

        part->index[at[k]] = i;
        part->pairs[at[k]++] = d->batch->pairs[i];
    }
}

status_t aligner_parts_deal(aligner_t *a, const pair_batch_t *batch, int slot)
{
    deal_t deal = {a, batch, slot};
    int64_t pieces = n_pieces(batch->n);
    status_t st;

    if ((st = grow_parts(a, slot, batch->n)) != ST_OK ||
        (st = grow_dealt(a, batch->n)) != ST_OK)
        return st;
    pool_run(a->context.pool, pieces, choose_piece, &deal);
    for (int k = 0; k < a->n_shares; k++) {
        aligner_part_t *part = &a->shares[k].parts[slot];
        int64_t sum = 0;

        for (int64_t p = 0; p < pieces; p++) {
            int64_t count = a->piece_start[p * ALIGNER_ROWS_MAX + k];

            a->piece_start[p * ALIGNER_ROWS_MAX + k] = sum;
            sum += count;
        }
        part->batch = (pair_batch_t){part->pairs, sum};
    }
    pool_run(a->context.pool, pieces, put_piece, &deal);
    return ST_OK;
}

status_t aligner_parts_reserve(aligner_t *a, int64_t n)
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
    const aligner_part_t *part;
} merge_t;

static void merge_piece(void *ctx, int64_t item, int thread)
{
    const merge_t *m = ctx;
    pair_results_t *to = &m->aligner->merged;
    int64_t end = (item + 1) * PIECE_PAIRS;

    (void)thread;
    for (int64_t i = item * PIECE_PAIRS; i < end && i < m->part->batch.n; i++) {
        int64_t at = m->part->index[i];

        to->score[at] = m->from->score[i];
        if (to->matches != NULL) {
            to->matches[at] = m->from->matches[i];
            to->columns[at] = m->from->columns[i];
        }
        if (m->from->cigar_start != NULL) /* for now, how many */
            m->aligner->cigar_start[at + 1] =
                m->from->cigar_start[i + 1] - m->from->cigar_start[i];
    }
}

void aligner_parts_merge(aligner_t *a, const aligner_share_t *share, int slot)
{
    merge_t merge = {a, &share->results, &share->parts[slot]};

    pool_run(a->context.pool, n_pieces(merge.part->batch.n), merge_piece, &merge);
}

status_t aligner_parts_merge_cigars(aligner_t *a, int slot)
{
    uint32_t *to;
    status_t st;

    a->cigar_start[0] = 0;
    for (int64_t i = 0; i < a->batch->n; i++)
        a->cigar_start[i + 1] += a->cigar_start[i];
    st = buf_reserve(&a->cigar,
                     (size_t)(a->cigar_start[a->batch->n] + 1) * sizeof(uint32_t));
    if (st != ST_OK)
        return st;
    to = (uint32_t *)(void *)a->cigar.data;
    for (int k = 0; k < a->n_shares; k++) {
        const pair_results_t *from = &a->shares[k].results;
        const aligner_part_t *part = &a->shares[k].parts[slot];

        for (int64_t i = 0; i < part->batch.n; i++)
            memcpy(to + a->cigar_start[part->index[i]],
                   from->cigar + from->cigar_start[i],
                   (size_t)(from->cigar_start[i + 1] - from->cigar_start[i]) *
                       sizeof(uint32_t));
    }
    a->merged.cigar_start = a->cigar_start;
    a->merged.cigar = to;
    return ST_OK;
}

typedef struct {
    const aligner_t *aligner;
    pair_results_t *results;
} drop_t;

static void drop_piece(void *ctx, int64_t item, int thread)
{
    const drop_t *d = ctx;
    const aligner_t *a = d->aligner;
    int64_t end = (item + 1) * PIECE_PAIRS;

    (void)thread;
    for (int64_t i = item * PIECE_PAIRS; i < end && i < a->batch->n; i++) {
        int64_t m = seqset_len(a->context.set, a->batch->pairs[i].query);
        int64_t n = seqset_len(a->context.set, a->batch->pairs[i].target);

        if (!align_overlap_suffices(a->context.spec, m, n, d->results->columns[i]))
            d->results->matches[i] = d->results->columns[i] = 0;
    }
}

void aligner_parts_drop_short(const aligner_t *a, pair_results_t *out)
{
    drop_t drop = {a, out};

    if (align_has_identity(a->context.spec) && a->context.spec->ends == ENDS_FREE)
        pool_run(a->context.pool, n_pieces(a->batch->n), drop_piece, &drop);
}

void aligner_parts_free(aligner_t *a)
{
    for (int k = 0; k < a->n_shares; k++)
        for (int slot = 0; slot < ALIGNER_DEPTH; slot++) {
            free(a->shares[k].parts[slot].pairs);
            free(a->shares[k].parts[slot].index);
        }
    free(a->share_of_pair);
    free(a->piece_start);
    free(a->merged.score);
    free(a->merged.matches);
    free(a->merged.columns);
    free(a->cigar_start);
    buf_free(&a->cigar);
}
