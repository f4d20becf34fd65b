/*
 * rg_aligner_pairs.c - aligns listed pairs, a piece at a time.
 */
#include "io/base/clock.h"
#include "library/rg_aligner.h"

#include <inttypes.h>
#include <string.h>

typedef struct {
    rg_aligner_t *a;
    rg_result_t *out;
    int64_t done; /* pairs whose results are there */
    int strands;
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
        memcpy(out->score + at, r->score, bytes);
        if (out->matches != NULL) {
            memcpy(out->matches + at, v->numerator, bytes);
            memcpy(out->columns + at, v->denominator, bytes);
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

static status_t check(const rg_aligner_t *a, const int32_t *pairs, int64_t n,
                      rg_result_t *out)
{
    const int64_t n_targets =
        a->first_target > 0 ? a->set->n - a->first_target : a->set->n;

    for (int64_t i = 0; i < n; i++) {
        const int32_t query = pairs[2 * i], target = pairs[2 * i + 1];

        if (query < 0 || query >= a->n_queries || target < 0 || target >= n_targets) {
            log_error("pair %" PRId64 " is (%d, %d), of %" PRId64
                      " sequences and %" PRId64 " %s",
                      i, query, target, a->n_queries, n_targets,
                      a->joined != NULL ? "references" : "targets");
            return ST_EUSAGE;
        }
        out->query[i] = query;
        out->target[i] = target;
    }
    return ST_OK;
}

/* @return how many pairs from `first` on make a piece of work; cells: out */
static int64_t piece_of(const listed_t *l, int64_t first, double *cells)
{
    const rg_aligner_t *a = l->a;
    const double rate = a->rate > 0 ? a->rate : search_guess(a->listed);
    const int64_t max = rg_aligner_max_pairs(a) / l->strands;
    int64_t i = first;

    *cells = 0;
    do {
        const int64_t m = seqset_len(a->set, l->out->query[i]);

        *cells += (double)(l->strands * m) *
                  (double)seqset_len(a->set, l->out->target[i] + a->first_target);
        i++;
    } while (i < l->out->n && i - first < max && *cells < rate * RG_PIECE_S);
    return i - first;
}

/* The pairs of a piece as the aligner takes them. @return NULL: no memory */
static const pair_t *list(const listed_t *l, int64_t first, int64_t n)
{
    rg_aligner_t *a = l->a;
    pair_t *out;

    a->pairs.len = 0;
    if (buf_reserve(&a->pairs, (size_t)(n * l->strands) * sizeof(pair_t)) != ST_OK)
        return NULL;
    out = (pair_t *)(void *)a->pairs.data;
    for (int64_t i = first; i < first + n; i++)
        for (int strand = 0; strand < l->strands; strand++)
            *out++ = (pair_t){
                (int32_t)(l->out->query[i] + strand * a->n_queries),
                (int32_t)(l->out->target[i] + a->first_target),
            };
    return (const pair_t *)(const void *)a->pairs.data;
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
        if (st == ST_OK && l->done < n) /* a whole piece */
            a->rate = cells / seconds;
    }
    return st == ST_OK && n > 0 ? rg_context_progress(a->context, 1) : st;
}

status_t rg_aligner_list(rg_aligner_t *a, const int32_t *pairs, int64_t n,
                         rg_result_t **out)
{
    listed_t l = {.a = a, .strands = a->origin->opts.strand == STRAND_BOTH ? 2 : 1};
    status_t st = rg_result_create(&a->context->memory, n, a->origin, &l.out);

    if (st != ST_OK)
        return st;
    if ((st = check(a, pairs, n, l.out)) == ST_OK)
        st = align(&l);
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
