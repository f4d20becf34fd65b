#include "kernels/align/cpu/scalar.h"

#include "io/base/logmsg.h"
#include "kernels/align/common/nw_reference.h"
#include "kernels/align/cpu/cpu_cigar.h"

#include <stdlib.h>

typedef struct {
    cpu_batch_t cpu;
    nw_cell_t *rows; /* [threads][row_len] */
    int64_t row_len;
    cpu_cigar_t *cigar; /* NULL: not wanted */
} scalar_t;

static bool scalar_takes(const device_t *device, const align_spec_t *spec, int64_t m,
                         int64_t n)
{
    (void)device;
    (void)spec;
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

static status_t scalar_create(const device_t *device, pool_t *pool, const seqset_t *set,
                              const align_spec_t *spec, void **state)
{
    scalar_t *s = calloc(1, sizeof(*s));
    status_t st;

    if (s == NULL)
        return log_nomem("the scalar kernel");
    s->cpu = (cpu_batch_t){.device = device, .pool = pool, .set = set, .spec = spec};
    s->row_len = seqset_max_len(set) + 1;
    s->rows = malloc((size_t)(s->row_len * pool_n_threads(pool)) * sizeof(*s->rows));
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

    return cpu_batch_take(&s->cpu, batch);
}

static void align_one(void *ctx, int64_t item, int thread)
{
    scalar_t *s = ctx;
    const seqset_t *set = s->cpu.set;
    pair_t p = s->cpu.batch->pairs[item];
    nw_cell_t cell =
        nw_reference_pair(s->cpu.spec, seqset_letters(set, p.query),
                          seqset_len(set, p.query), seqset_letters(set, p.target),
                          seqset_len(set, p.target), s->rows + thread * s->row_len);

    cpu_batch_put(&s->cpu, item, cell.score, cell.matches, cell.columns);
}

static status_t scalar_wait(void *state, pair_results_t *out)
{
    scalar_t *s = state;
    status_t st;

    pool_run(s->cpu.pool, s->cpu.batch->n, align_one, s);
    if ((st = cpu_cigar_run(s->cigar, &s->cpu)) != ST_OK)
        return st;
    *out = s->cpu.results;
    return ST_OK;
}

const aligner_backend_t scalar_backend = {
    .name = "scalar",
    .kind = DEVICE_CPU,
    .cells_per_s = 7e7,
    .takes = scalar_takes,
    .create = scalar_create,
    .submit = scalar_submit,
    .wait = scalar_wait,
    .destroy = scalar_destroy,
};
