/*
 * rg_aligner_pairs.c - aligns listed pairs, a piece at a time.
 */
#include "io/base/clock.h"
#include "library/rg_aligner.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

typedef struct {
    rg_aligner_t *a;
    rg_result_t *out;
    int64_t done; /* pairs whose results are there */
    int strands;
    const int32_t *given; /* [n][2] the caller's */
    int64_t n_targets;
    double *block_cells; /* [blocks] of the list; NAN: one of its pairs is none */
    double cells;        /* of the pairs that are not done */
} listed_t;

static status_t put_cigar(listed_t *l, int64_t at, const pair_results_t *r, int64_t from)
{
    const int64_t first = r->cigar_start[from], n = r->cigar_start[from + 1] - first;
    const status_t st =
        buf_append(&l->out->runs, r->cigar + first, (size_t)n * sizeof(*r->cigar));

    l->out->cigar_start[at + 1] = l->out->cigar_start[at] + n;
    return st;
}

/* Of both strands. */
static void put_better(listed_t *l, const pair_batch_t *batch, const pair_results_t *r,
                       const search_values_t *v, int64_t at, int64_t *from)
{
    rg_result_t *out = l->out;
    pairs_hit_t hit;

    *from = search_pick(l->a->listed, batch, r, v, *from, &hit);
    out->score[at] = hit.score;
    out->matches[at] = hit.matches;
    out->columns[at] = hit.columns;
    out->strand[at] = (int8_t)hit.strand;
}

static status_t take(void *ctx, const pair_batch_t *batch, const pair_results_t *r,
                     const search_values_t *v)
{
    listed_t *l = ctx;
    rg_result_t *out = l->out;
    const int64_t n = batch->n / l->strands, at = l->done;
    const size_t bytes = (size_t)n * sizeof(*out->score);
    status_t st = ST_OK;

    l->done += n;
    if (l->strands == 1) {
        pool_t *pool = l->a->context->pool;

        pool_copy(pool, out->score + at, r->score, bytes);
        if (out->matches != NULL) {
            pool_copy(pool, out->matches + at, v->numerator, bytes);
            pool_copy(pool, out->columns + at, v->denominator, bytes);
        }
        if (out->cigar_start == NULL)
            return ST_OK;
    }
    for (int64_t i = 0; st == ST_OK && i < n; i++) {
        int64_t from = i * l->strands;

        if (l->strands > 1)
            put_better(l, batch, r, v, at + i, &from);
        if (out->cigar_start != NULL)
            st = put_cigar(l, at + i, r, from);
    }
    return st;
}

/* ---- the list ---- */

/* Pairs per iteration of the pool: their cells are known as a sum. */
enum { BLOCK = 1 << 11 };

static int64_t block_end(const listed_t *l, int64_t block)
{
    return (block + 1) * BLOCK < l->out->n ? (block + 1) * BLOCK : l->out->n;
}

static double cells_of(const listed_t *l, int64_t i)
{
    const rg_aligner_t *a = l->a;

    return (double)(l->strands * seqset_len(a->set, l->out->query[i])) *
           (double)seqset_len(a->set, l->out->target[i] + a->first_target);
}

/* Copy a block of pairs into the result, up to one that there is not. */
static void take_block(void *ctx, int64_t block, int thread)
{
    listed_t *l = ctx;
    rg_result_t *out = l->out;

    (void)thread;
    l->block_cells[block] = 0;
    for (int64_t i = block * BLOCK; i < block_end(l, block); i++) {
        const int32_t query = l->given[2 * i], target = l->given[2 * i + 1];

        if (query < 0 || query >= l->a->n_queries || target < 0 ||
            target >= l->n_targets) {
            l->block_cells[block] = NAN;
            return;
        }
        out->query[i] = query;
        out->target[i] = target;
        l->block_cells[block] += cells_of(l, i);
    }
}

/* Log the first pair of a block that there is not. @return ST_EUSAGE */
static status_t refuse(const listed_t *l, int64_t block)
{
    const rg_aligner_t *a = l->a;
    int64_t i = block * BLOCK;
    const int32_t *p = l->given + 2 * i;

    for (; p[0] >= 0 && p[0] < a->n_queries && p[1] >= 0 && p[1] < l->n_targets; p += 2)
        i++;
    log_error("pair %" PRId64 " is (%d, %d), of %" PRId64 " sequences and %" PRId64 " %s",
              i, p[0], p[1], a->n_queries, l->n_targets,
              a->joined != NULL ? "references" : "targets");
    return ST_EUSAGE;
}

static status_t take_list(listed_t *l)
{
    const rg_aligner_t *a = l->a;
    const int64_t n_blocks = (l->out->n + BLOCK - 1) / BLOCK;

    l->n_targets = a->first_target > 0 ? a->set->n - a->first_target : a->set->n;
    l->block_cells = malloc((size_t)n_blocks * sizeof(*l->block_cells) + 1);
    if (l->block_cells == NULL)
        return log_nomem("pairs");
    pool_run(a->context->pool, n_blocks, take_block, l);
    for (int64_t k = 0; k < n_blocks; k++) {
        if (isnan(l->block_cells[k]))
            return refuse(l, k);
        l->cells += l->block_cells[k];
    }
    return ST_OK;
}

/* Pieces are equal, as the end of each leaves threads and multiprocessors idle.
 * @return how many pairs from `first` on make a piece of work; cells: out */
static int64_t piece_of(const listed_t *l, int64_t first, double *cells)
{
    const rg_aligner_t *a = l->a;
    const double rate = a->rate > 0 ? a->rate : search_guess(a->listed);
    const double n_pieces = round(l->cells / (rate * RG_PIECE_S));
    const double enough = l->cells / (n_pieces > 1 ? n_pieces : 1);
    const int64_t max = rg_aligner_max_pairs(a) / l->strands;
    int64_t i = first;

    *cells = 0;
    do {
        const double block = l->block_cells[i / BLOCK];

        if (i % BLOCK == 0 && i + BLOCK - first <= max && *cells + block <= enough) {
            *cells += block;
            i = block_end(l, i / BLOCK);
        } else {
            *cells += cells_of(l, i++);
        }
    } while (i < l->out->n && i - first < max && *cells < enough);
    return i - first;
}

/* The pairs of a piece as the aligner takes them. */
typedef struct {
    const listed_t *of;
    int64_t first, n;
    pair_t *to;
} list_t;

static void list_block(void *ctx, int64_t block, int thread)
{
    const list_t *p = ctx;
    const listed_t *l = p->of;
    const int64_t end = (block + 1) * BLOCK < p->n ? (block + 1) * BLOCK : p->n;
    pair_t *to = p->to + block * BLOCK * l->strands;

    (void)thread;
    for (int64_t i = p->first + block * BLOCK; i < p->first + end; i++)
        for (int strand = 0; strand < l->strands; strand++)
            *to++ = (pair_t){
                (int32_t)(l->out->query[i] + strand * l->a->n_queries),
                (int32_t)(l->out->target[i] + l->a->first_target),
            };
}

/* @return NULL: no memory */
static const pair_t *list(const listed_t *l, int64_t first, int64_t n)
{
    rg_aligner_t *a = l->a;
    list_t piece = {l, first, n, NULL};

    a->pairs.len = 0;
    if (buf_reserve(&a->pairs, (size_t)(n * l->strands) * sizeof(pair_t)) != ST_OK)
        return NULL;
    piece.to = (pair_t *)(void *)a->pairs.data;
    pool_run(a->context->pool, (n + BLOCK - 1) / BLOCK, list_block, &piece);
    return piece.to;
}

static status_t align(listed_t *l)
{
    rg_aligner_t *a = l->a;
    const int64_t n = l->out->n;
    status_t st = ST_OK;

    while (st == ST_OK && l->done < n) {
        double cells, start = clock_now_s(), seconds;
        const int64_t piece = piece_of(l, l->done, &cells);
        const pair_t *pairs = list(l, l->done, piece);

        if (pairs == NULL)
            return ST_ENOMEM;
        if ((st = rg_context_progress(a->context, (double)l->done / (double)n)) == ST_OK)
            st = search_align(a->listed, pairs, piece * l->strands,
                              rg_aligner_max_pairs(a), take, l);
        seconds = clock_now_s() - start;
        l->cells -= cells;
        if (st == ST_OK && l->done < n) /* a whole piece */
            a->rate = cells / seconds;
    }
    return st == ST_OK && n > 0 ? rg_context_progress(a->context, 1) : st;
}

status_t rg_aligner_list(rg_aligner_t *a, const int32_t *pairs, int64_t n,
                         rg_result_t **out)
{
    listed_t l = {.a = a,
                  .strands = a->origin->opts.strand == STRAND_BOTH ? 2 : 1,
                  .given = pairs};
    status_t st = rg_result_create(&a->context->memory, n, a->origin, &l.out);

    if (st != ST_OK)
        return st;
    if ((st = take_list(&l)) == ST_OK)
        st = align(&l);
    free(l.block_cells);
    if (st == ST_OK)
        st = rg_result_complete(l.out);
    if (st == ST_OK)
        *out = l.out;
    else
        rg_result_destroy(l.out);
    return st;
}

rg_status_t rg_aligner_pairs(rg_aligner_t *a, const int32_t *pairs, int64_t n,
                             rg_result_t **out)
{
    log_sink_t *before;
    rg_status_t status = rg_context_enter(a != NULL ? a->context : NULL, &before);
    status_t st = ST_EUSAGE;

    if (status != RG_OK)
        return status;
    if (n >= 0 && (pairs != NULL || n == 0) && out != NULL)
        st = rg_aligner_list(a, pairs, n, out);
    return rg_context_leave(a->context, before, st);
}
