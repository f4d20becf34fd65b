/*
 * tiled_plan.cu - divides a batch into the launches of tiled-dscan.
 */
#include "kernels/align/tiled/tiled_plan.cuh"

extern "C" {
#include "kernels/align/common/nw_reference.h"
}

#include <cstdlib>

namespace
{

constexpr int64_t STRIPS_MAX = INT64_C(1) << 30; /* per piece: their counter is an int */

/* @return whether the query's bases are the rows: for CIGARs as nw_reference.h demands;
 *         else the columns preferably have no ambiguity codes, and the rows are longer,
 *         which makes more strips */
bool query_is_rows(const tiled_plan_args_t *args, pair_t pair)
{
    const int64_t m = seqset_len(args->set, pair.query);
    const int64_t n = seqset_len(args->set, pair.target);
    const bool ambiguous = args->has_ambiguity[pair.query] != 0;

    if (args->traced)
        return nw_reference_query_is_rows(seqset_letters(args->set, pair.query), m,
                                          seqset_letters(args->set, pair.target), n);
    return args->layout->kind == TILED_SCORE2 &&
                   ambiguous != (args->has_ambiguity[pair.target] != 0)
               ? ambiguous
               : m >= n;
}

tiled_pair_t pair_of(const tiled_plan_args_t *args, pair_t pair, int64_t at)
{
    const bool query_rows = query_is_rows(args, pair);
    tiled_pair_t p = {};

    p.row_sequence = query_rows ? pair.query : pair.target;
    p.column_sequence = query_rows ? pair.target : pair.query;
    p.m = static_cast<int>(seqset_len(args->set, p.row_sequence));
    p.n = static_cast<int>(seqset_len(args->set, p.column_sequence));
    p.n_rows[1] = args->traced ? 0 : p.m / 2;
    p.n_rows[0] = p.m - p.n_rows[1];
    p.index = static_cast<int>(at);
    p.bases_only = args->has_ambiguity[p.column_sequence] == 0;
    p.mirrored = !query_rows;
    return p;
}

/* Assign scratch memory to a pair that is added to a piece. */
void assign_scratch(const tiled_plan_args_t *args, tiled_piece_t *g, tiled_pair_t *p)
{
    const int64_t line =
        static_cast<int64_t>(tiled_padded(p->n)) * tiled_words(args->layout->kind);
    const bool two = args->layout->kind != TILED_SCORE2 && p->n_rows[1] > 0;

    p->line[0] = g->n_words;
    p->line[1] = g->n_words + (two ? line : 0);
    p->codes[0] = p->line[1] + line;
    p->codes[1] = p->codes[0] + (two ? tiled_code_words(p->n) : 0);
    p->edge = p->codes[1] + tiled_code_words(p->n);
    g->n_words = p->edge + (args->layout->ends_free ? p->m : 0);
    p->directions = g->n_direction_words;
    if (args->traced)
        g->n_direction_words +=
            static_cast<int64_t>(tiled_strips(p->m)) * tiled_steps(p->n) * TILED_WARP;
}

int64_t piece_bytes(const tiled_piece_t *g)
{
    return g->n_words * static_cast<int64_t>(sizeof(unsigned long long)) +
           g->n_direction_words * static_cast<int64_t>(sizeof(unsigned));
}

/* Add the sweeps of a pair to a piece. */
void add_jobs(const tiled_plan_args_t *args, tiled_plan_t *plan, tiled_piece_t *g,
              const tiled_pair_t *p)
{
    const int n_sweeps = args->layout->kind == TILED_SCORE2 || p->n_rows[1] == 0 ? 1 : 2;

    for (int side = 0; side < n_sweeps; side++) {
        const tiled_job_t job = {static_cast<int>(g->n_pairs), side,
                                 tiled_strips(p->n_rows[side])};

        plan->jobs[plan->n_jobs++] = job;
        g->n_jobs++;
        g->n_strips += job.n_strips;
        g->n_levels = job.n_strips > g->n_levels ? job.n_strips : g->n_levels;
    }
}

int by_strips(const void *a, const void *b)
{
    const tiled_job_t *x = static_cast<const tiled_job_t *>(a);
    const tiled_job_t *y = static_cast<const tiled_job_t *>(b);

    if (x->n_strips != y->n_strips)
        return x->n_strips > y->n_strips ? -1 : 1;
    return x->pair != y->pair ? (x->pair < y->pair ? -1 : 1) : x->side - y->side;
}

/* Plan the piece whose first pair is `first`. @return the first pair of the next piece */
int64_t plan_piece(const tiled_plan_args_t *args, const pair_batch_t *batch,
                   int64_t first, tiled_plan_t *plan)
{
    tiled_piece_t g = {};
    int64_t k = first;

    g.first_pair = first;
    g.first_job = plan->n_jobs;
    g.first_level = plan->n_starts;
    for (; k < batch->n && g.n_strips < STRIPS_MAX; k++) {
        tiled_pair_t pair = pair_of(args, batch->pairs[k], k);
        tiled_piece_t with = g;

        assign_scratch(args, &with, &pair);
        if (k > first && piece_bytes(&with) > args->scratch_bytes)
            break;
        g = with;
        add_jobs(args, plan, &g, &pair);
        g.n_pairs++;
        plan->pairs[k] = pair;
    }
    qsort(plan->jobs + g.first_job, static_cast<size_t>(g.n_jobs), sizeof(tiled_job_t),
          by_strips);
    plan->n_starts += g.n_levels + 1;
    plan->max_words = g.n_words > plan->max_words ? g.n_words : plan->max_words;
    plan->max_direction_words = g.n_direction_words > plan->max_direction_words
                                    ? g.n_direction_words
                                    : plan->max_direction_words;
    plan->pieces[plan->n_pieces++] = g;
    return k;
}

/* Count the strips before each level of a piece. */
void fill_levels(const tiled_plan_t *plan, const tiled_piece_t *g)
{
    const tiled_job_t *jobs = plan->jobs + g->first_job;
    int *start = plan->level_start + g->first_level;
    int64_t n_jobs = g->n_jobs;

    start[0] = 0;
    for (int64_t level = 0; level < g->n_levels; level++) {
        while (n_jobs > 0 && jobs[n_jobs - 1].n_strips <= level)
            n_jobs--;
        start[level + 1] = start[level] + static_cast<int>(n_jobs);
    }
}

} // namespace

int64_t tiled_plan_pair_bytes(const tiled_layout_t *layout, bool traced, int64_t m,
                              int64_t n)
{
    const int64_t longer = m > n ? m : n;
    const int64_t words =
        2 * (longer + TILED_CHUNK) * (tiled_words(layout->kind) + 1) + longer;
    const int64_t blocks = ((m + TILED_STRIP) / TILED_ROWS) *
                           ((n + TILED_CHUNK) / TILED_COLUMNS + TILED_WARP);

    return words * static_cast<int64_t>(sizeof(unsigned long long)) +
           (traced ? blocks * static_cast<int64_t>(sizeof(unsigned)) : 0);
}

status_t tiled_plan_create(const tiled_plan_args_t *args, const pair_batch_t *batch,
                           tiled_plan_t *out)
{
    const size_t n = static_cast<size_t>(batch->n);
    tiled_plan_t plan = {};

    plan.pairs = static_cast<tiled_pair_t *>(malloc((n + 1) * sizeof(*plan.pairs)));
    plan.jobs = static_cast<tiled_job_t *>(malloc((2 * n + 1) * sizeof(*plan.jobs)));
    plan.pieces = static_cast<tiled_piece_t *>(malloc((n + 1) * sizeof(*plan.pieces)));
    plan.n_pairs = batch->n;
    if (plan.pairs == nullptr || plan.jobs == nullptr || plan.pieces == nullptr) {
        tiled_plan_free(&plan);
        return log_nomem("a plan of strips");
    }
    for (int64_t k = 0; k < batch->n;)
        k = plan_piece(args, batch, k, &plan);
    plan.level_start = static_cast<int *>(
        malloc(static_cast<size_t>(plan.n_starts + 1) * sizeof(*plan.level_start)));
    if (plan.level_start == nullptr) {
        tiled_plan_free(&plan);
        return log_nomem("a plan of strips");
    }
    for (int64_t k = 0; k < plan.n_pieces; k++)
        fill_levels(&plan, &plan.pieces[k]);
    *out = plan;
    return ST_OK;
}

void tiled_plan_free(tiled_plan_t *plan)
{
    free(plan->pairs);
    free(plan->jobs);
    free(plan->level_start);
    free(plan->pieces);
    *plan = tiled_plan_t{};
}
