/*
 * rg_aligner_pairs.c - aligns listed pairs, a piece at a time.
 */
#include "io/base/clock.h"
#include "library/rg_aligner.h"

#include <inttypes.h>
#include <stdatomic.h>

typedef struct {
    rg_aligner_t *a;
    rg_result_t *out;
    const int32_t *given; /* [n][2] the caller's */
    int strands;
    bool overlap; /* a piece is aligned while the next one is made */
    int64_t n_targets;
    int64_t copied, begun, done; /* pairs that are in the result; in pieces; aligned */
    int64_t n_made, n_taken;     /* pieces */
    double cells[ALIGNER_DEPTH]; /* of the pieces that are aligned */
    double since;                /* when the last one was done */
} listed_t;

static double *piece_cells(listed_t *l, int64_t piece)
{
    return &l->cells[piece % ALIGNER_DEPTH];
}

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

static status_t store(listed_t *l, const pair_batch_t *batch, const pair_results_t *r,
                      const search_values_t *v)
{
    rg_result_t *out = l->out;
    const int64_t n = batch->n / l->strands, at = l->done;
    const size_t bytes = (size_t)n * sizeof(*out->score);
    status_t st = ST_OK;

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

/* Pieces come in the order of the list. */
static status_t take(void *ctx, const pair_batch_t *batch, const pair_results_t *r,
                     const search_values_t *v)
{
    listed_t *l = ctx;
    const double now = clock_now_s(), seconds = now - l->since;
    const double cells = *piece_cells(l, l->n_taken++);
    const status_t st = store(l, batch, r, v);

    l->since = now;
    l->done += batch->n / l->strands;
    if (l->done < l->out->n) /* a whole piece */
        l->a->rate = cells / seconds;
    return st != ST_OK
               ? st
               : rg_context_progress(l->a->context, (double)l->done / (double)l->out->n);
}

/* ---- the list ---- */

/* Pairs per iteration of the pool. */
enum { BLOCK = 1 << 13 };

static bool is_pair(const listed_t *l, int64_t i)
{
    const int32_t query = l->given[2 * i], target = l->given[2 * i + 1];

    return query >= 0 && query < l->a->n_queries && target >= 0 && target < l->n_targets;
}

/* A block of pairs that there are, or the first one that there is not. */
typedef struct {
    const listed_t *of;
    _Atomic int64_t first_wrong;
} checked_t;

static void check_block(void *ctx, int64_t block, int thread)
{
    checked_t *c = ctx;
    const int64_t n = c->of->out->n;
    int64_t i = block * BLOCK, end = i + BLOCK < n ? i + BLOCK : n;
    int64_t least = atomic_load(&c->first_wrong);

    (void)thread;
    while (i < end && is_pair(c->of, i))
        i++;
    while (i < end && i < least &&
           !atomic_compare_exchange_weak(&c->first_wrong, &least, i)) {
    }
}

/* Pairs that there are not are found before any is aligned. @return ST_OK or ST_EUSAGE */
static status_t check_list(const listed_t *l)
{
    const rg_aligner_t *a = l->a;
    const int64_t n = l->out->n;
    checked_t c = {l, n};

    pool_run(a->context->pool, (n + BLOCK - 1) / BLOCK, check_block, &c);
    if (c.first_wrong == n)
        return ST_OK;
    log_error("pair %" PRId64 " is (%d, %d), of %" PRId64 " sequences and %" PRId64 " %s",
              c.first_wrong, l->given[2 * c.first_wrong], l->given[2 * c.first_wrong + 1],
              a->n_queries, l->n_targets, a->joined != NULL ? "references" : "targets");
    return ST_EUSAGE;
}

static double cells_of(const listed_t *l, int64_t i)
{
    const rg_aligner_t *a = l->a;

    return (double)(l->strands * seqset_len(a->set, l->given[2 * i])) *
           (double)seqset_len(a->set, l->given[2 * i + 1] + a->first_target);
}

/* Size a piece: all take equal times, and the last one is no small rest.  The cells of
 * its first pairs are counted, and then those of every STEP-th.
 * @return how many pairs it has */
static int64_t piece_of(const listed_t *l, double *cells)
{
    enum { STEP = 64 };
    const rg_aligner_t *a = l->a;
    const align_memory_t memory = rg_aligner_memory(a, a->listed, 1);
    const double rate = a->rate > 0 ? a->rate : search_guess(a->listed);
    const double enough = rate * rg_aligner_piece_s(a->listed);
    const int64_t rest = l->out->n - l->begun;
    int64_t most = align_memory_pairs(&memory) / l->strands, i = 0, step;

    most = most < 1 ? 1 : most < rest ? most : rest;
    for (*cells = 0; i < most && *cells < enough; i += step) {
        step = i < STEP || most - i < STEP ? 1 : STEP;
        *cells += (double)step * cells_of(l, l->begun + i);
    }
    return rest - i < i / 2 && rest <= most ? rest : i;
}

/* Pairs of the list that the pool writes, in blocks. */
typedef struct {
    const listed_t *of;
    int64_t first, n;
    pair_t *to; /* of a piece */
} range_t;

static void run_range(range_t *r, pool_fn_t write)
{
    pool_run(r->of->a->context->pool, (r->n + BLOCK - 1) / BLOCK, write, r);
}

static int64_t end_of_block(const range_t *r, int64_t block)
{
    return (block + 1) * BLOCK < r->n ? (block + 1) * BLOCK : r->n;
}

/* Write pairs as the aligner takes them. */
static void write_piece(void *ctx, int64_t block, int thread)
{
    const range_t *r = ctx;
    const listed_t *l = r->of;
    const int32_t *given = l->given + 2 * r->first;
    pair_t *to = r->to + block * BLOCK * l->strands;

    (void)thread;
    for (int64_t k = block * BLOCK; k < end_of_block(r, block); k++)
        for (int strand = 0; strand < l->strands; strand++)
            *to++ = (pair_t){(int32_t)(given[2 * k] + strand * l->a->n_queries),
                             (int32_t)(given[2 * k + 1] + l->a->first_target)};
}

/* Write pairs into the result.  Where they are aligned meanwhile, the memory that their
 * scores will get is touched, too. */
static void write_result(void *ctx, int64_t block, int thread)
{
    const range_t *r = ctx;
    const listed_t *l = r->of;
    const rg_result_t *out = l->out;
    const int64_t end = r->first + end_of_block(r, block);

    (void)thread;
    for (int64_t i = r->first + block * BLOCK; i < end; i++) {
        out->query[i] = l->given[2 * i];
        out->target[i] = l->given[2 * i + 1];
        if (l->overlap)
            out->score[i] = 0;
        if (l->overlap && out->matches != NULL)
            out->matches[i] = out->columns[i] = 0;
    }
}

/* @return the next n pairs of the list, as the aligner takes them; NULL: no memory */
static const pair_t *make_piece(listed_t *l, int64_t n)
{
    buf_t *to = &l->a->pairs[l->n_made % ALIGNER_DEPTH];
    range_t r = {.of = l, .first = l->begun, .n = n};

    _Static_assert(sizeof(pair_t) == 2 * sizeof(int32_t), "a pair is two numbers");

    if (l->a->joined == NULL) /* those of the list are the set's */
        return (const pair_t *)(const void *)(l->given + 2 * l->begun);
    to->len = 0;
    if (buf_reserve(to, (size_t)(n * l->strands) * sizeof(pair_t)) != ST_OK)
        return NULL;
    r.to = (pair_t *)(void *)to->data;
    run_range(&r, write_piece);
    return r.to;
}

/* The result gets the pairs of pieces that the aligner has already. */
static status_t next_piece(void *ctx, pair_batch_t *batch)
{
    listed_t *l = ctx;
    range_t submitted = {.of = l, .first = l->copied, .n = l->begun - l->copied};
    int64_t n;

    run_range(&submitted, write_result);
    l->copied = l->begun;
    *batch = (pair_batch_t){.n = 0};
    if (l->begun == l->out->n)
        return ST_OK;
    n = piece_of(l, piece_cells(l, l->n_made));
    if ((batch->pairs = make_piece(l, n)) == NULL)
        return ST_ENOMEM;
    batch->n = n * l->strands;
    l->n_made++;
    l->begun += n;
    return ST_OK;
}

status_t rg_aligner_list(rg_aligner_t *a, const int32_t *pairs, int64_t n,
                         rg_result_t **out)
{
    listed_t l = {.a = a,
                  .strands = a->origin->opts.strand == STRAND_BOTH ? 2 : 1,
                  .overlap = search_depth(a->listed) > 1,
                  .given = pairs,
                  .n_targets = a->set->n - a->first_target,
                  .since = clock_now_s()};
    status_t st = rg_result_create(&a->context->memory, n, a->origin, &l.out);

    if (st != ST_OK)
        return st;
    if ((st = check_list(&l)) == ST_OK && n > 0 &&
        (st = rg_context_progress(a->context, 0)) == ST_OK)
        st = search_stream(a->listed, next_piece, take, &l);
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
