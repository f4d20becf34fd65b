/*
 * scalar.c - runs the reference on all threads.
 */
#include "kernels/align/common/aligner_backend.h"

#include "io/base/logmsg.h"
#include "kernels/align/common/nw_reference.h"
#include "kernels/align/cpu/cpu_batch.h"

#include <stdlib.h>

typedef struct {
    cpu_batch_t cpu;
    nw_values_t *rows; /* [threads][row_len] */
    int64_t row_len;
    cpu_cigar_t *cigar; /* NULL unless EMIT_CIGAR */
} scalar_t;

static bool scalar_fits(const align_context_t *context, int64_t m, int64_t n)
{
    (void)context;
    (void)m;
    (void)n;
    return true;
}

static void scalar_destroy(void *state)
{
    scalar_t *s = state;

    if (s == NULL)
        return;
    cpu_cigar_destroy(s->cigar);
    cpu_batch_free(&s->cpu);
    free(s->rows);
    free(s);
}

static status_t scalar_create(const align_context_t *context, void **state)
{
    scalar_t *s = calloc(1, sizeof(*s));
    status_t st;

    if (s == NULL)
        return log_nomem("the scalar kernel");
    s->cpu = (cpu_batch_t){.context = *context};
    s->row_len = seqset_max_len(context->set) + 1;
    s->rows =
        malloc((size_t)(s->row_len * pool_n_threads(context->pool)) * sizeof(*s->rows));
    if (s->rows == NULL) {
        scalar_destroy(s);
        return log_nomem("the scalar kernel");
    }
    if ((st = cpu_cigar_create(&s->cpu, SIMD_NONE, &s->cigar)) != ST_OK) {
        scalar_destroy(s);
        return st;
    }
    *state = s;
    return ST_OK;
}

static status_t scalar_submit(void *state, const pair_batch_t *batch)
{
    scalar_t *s = state;
    status_t st = cpu_batch_take(&s->cpu, batch);

    return st == ST_OK ? cpu_cigar_begin(s->cigar, batch->n) : st;
}

static void align_one(void *ctx, int64_t i, int thread)
{
    scalar_t *s = ctx;
    const seqset_t *set = s->cpu.context.set;
    pair_t p = s->cpu.batch->pairs[i];
    nw_cell_t cell =
        nw_reference_pair_until(s->cpu.context.spec, s->cpu.context.run.cancel,
                                seqset_letters(set, p.query), seqset_len(set, p.query),
                                seqset_letters(set, p.target), seqset_len(set, p.target),
                                s->rows + thread * s->row_len);

    cpu_batch_put(&s->cpu, i, cell.score, cell.matches, cell.columns);
}

static status_t scalar_wait(void *state, pair_results_t *out)
{
    scalar_t *s = state;
    status_t st;

    pool_run(s->cpu.context.pool, s->cpu.batch->n, align_one, s);
    if ((st = cpu_cigar_run(s->cigar, &s->cpu, NULL)) != ST_OK)
        return st;
    *out = s->cpu.results;
    return ST_OK;
}

const aligner_backend_t scalar_backend = {
    .base = {.name = "scalar", .kind = DEVICE_CPU, .rate = 7e7},
    .supports = {.alphabets = ALIGN_BIT(ALPHABET_DNA) | ALIGN_BIT(ALPHABET_PROTEIN),
                 .gaps = ALIGN_BIT(GAPS_LINEAR) | ALIGN_BIT(GAPS_AFFINE),
                 .ends = ALIGN_BIT(ENDS_FREE) | ALIGN_BIT(ENDS_COUNT) |
                         ALIGN_BIT(ENDS_QUERY) | ALIGN_BIT(ENDS_PRICED) |
                         ALIGN_BIT(ENDS_LOCAL),
                 .scorings = ALIGN_BIT(SCORING_TWO_VALUED) | ALIGN_BIT(SCORING_MATRIX),
                 .emits = ALIGN_BIT(EMIT_SCORE) | ALIGN_BIT(EMIT_IDENTITY) |
                          ALIGN_BIT(EMIT_CIGAR)},
    .fits = scalar_fits,
    .create = scalar_create,
    .submit = scalar_submit,
    .wait = scalar_wait,
    .destroy = scalar_destroy,
};
