#include "kernels/align/simd.h"

#include "io/logmsg.h"
#include "kernels/align/cpu_batch.h"
#include "kernels/align/nw_key.h"
#include "kernels/align/simd_sweep.h"

#include <stdlib.h>
#include <string.h>

/* A pair as it is sorted: rows are the shorter sequence's letters. */
typedef struct {
    int32_t m, n;
    int64_t index; /* into the batch */
} sorted_t;

typedef struct {
    void *memory;
    size_t bytes;
    bool failed;
} scratch_t;

typedef struct {
    cpu_batch_t cpu;
    const simd_sweep_t *sweeps; /* [3] of this machine's level */
    sorted_t *sorted;           /* [sorted_capacity] */
    int64_t sorted_capacity;
    int64_t *group_start; /* [n_groups + 1] into sorted */
    int64_t n_groups;
    scratch_t *scratch; /* [threads] */
} simd_t;

static const simd_sweep_t *sweeps_of(const device_t *device)
{
#if defined(__x86_64__)
    if (device->simd == SIMD_AVX512)
        return simd_sweep_avx512;
    if (device->simd == SIMD_AVX2)
        return simd_sweep_avx2;
#endif
    (void)device;
    return NULL;
}

/* Lanes of one group share their bounds, so the longer letter count stands for both. */
static bool simd_takes(const device_t *device, const align_spec_t *spec, int64_t m,
                       int64_t n)
{
    int64_t longer = m > n ? m : n;

    return sweeps_of(device) != NULL && spec->scoring.two_valued &&
           nw_key_fits(spec, longer, longer);
}

/* The narrowest lanes that hold every cell of a matrix of m x n. */
static const simd_sweep_t *choose_sweep(const simd_t *s, int64_t m, int64_t n)
{
    align_range_t range = align_range(s->cpu.spec, m, n);

    if (s->cpu.spec->emit == EMIT_IDENTITY)
        return &s->sweeps[2];
    return range.least >= INT16_MIN && range.most <= INT16_MAX ? &s->sweeps[0]
                                                               : &s->sweeps[1];
}

static void simd_destroy(void *state)
{
    simd_t *s = state;

    if (s == NULL)
        return;
    for (int i = 0; s->scratch != NULL && i < pool_n_threads(s->cpu.pool); i++)
        free(s->scratch[i].memory);
    free(s->scratch);
    free(s->sorted);
    free(s->group_start);
    cpu_batch_free(&s->cpu);
    free(s);
}

static status_t simd_create(const device_t *device, pool_t *pool, const seqset_t *set,
                            const align_spec_t *spec, void **state)
{
    simd_t *s = calloc(1, sizeof(*s));

    if (s == NULL)
        return log_nomem("the simd kernel");
    s->cpu = (cpu_batch_t){.device = device, .pool = pool, .set = set, .spec = spec};
    s->sweeps = sweeps_of(device);
    s->scratch = calloc((size_t)pool_n_threads(pool), sizeof(*s->scratch));
    if (s->scratch == NULL) {
        simd_destroy(s);
        return log_nomem("the simd kernel");
    }
    *state = s;
    return ST_OK;
}

static int by_length(const void *a, const void *b)
{
    const sorted_t *x = a, *y = b;

    if (x->n != y->n)
        return x->n > y->n ? -1 : 1;
    if (x->m != y->m)
        return x->m > y->m ? -1 : 1;
    return x->index < y->index ? -1 : 1;
}

/* Cut the sorted pairs into groups of as many as the lanes of the sweep they need. */
static void cut_groups(simd_t *s, int64_t n)
{
    s->n_groups = 0;
    for (int64_t i = 0; i < n;) {
        /* sorted by columns, the first has the most; any may have the most rows */
        int64_t lanes = choose_sweep(s, s->sorted[i].n, s->sorted[i].n)->lanes;

        s->group_start[s->n_groups++] = i;
        i += lanes < n - i ? lanes : n - i;
    }
    s->group_start[s->n_groups] = n;
}

static status_t simd_submit(void *state, const pair_batch_t *batch)
{
    simd_t *s = state;
    const seqset_t *set = s->cpu.set;
    status_t st = cpu_batch_take(&s->cpu, batch);

    s->n_groups = 0;
    if (st != ST_OK || batch->n == 0)
        return st;
    if (batch->n > s->sorted_capacity) {
        free(s->sorted);
        free(s->group_start);
        s->sorted_capacity = 0;
        s->sorted = malloc((size_t)batch->n * sizeof(*s->sorted));
        s->group_start = malloc((size_t)(batch->n + 1) * sizeof(*s->group_start));
        if (s->sorted == NULL || s->group_start == NULL)
            return log_nomem("a batch");
        s->sorted_capacity = batch->n;
    }
    for (int64_t i = 0; i < batch->n; i++) {
        int32_t m = (int32_t)seqset_len(set, batch->pairs[i].query);
        int32_t n = (int32_t)seqset_len(set, batch->pairs[i].target);

        s->sorted[i] = (sorted_t){m < n ? m : n, m < n ? n : m, i};
    }
    qsort(s->sorted, (size_t)batch->n, sizeof(*s->sorted), by_length);
    cut_groups(s, batch->n);
    return ST_OK;
}

/* A lane's letters into their place among the others', as sets. */
static void spread(const simd_t *s, int32_t sequence, int lane, int lanes, uint8_t *out)
{
    const uint8_t *letters = seqset_letters(s->cpu.set, sequence);
    int64_t len = seqset_len(s->cpu.set, sequence);

    for (int64_t i = 0; i < len; i++)
        out[i * lanes + lane] = s->cpu.spec->scoring.set_of[letters[i]];
}

/* Add a value to an ascending list of different ones. @return its new length */
static int add_end(int32_t *ends, int n, int32_t value)
{
    int at = n;

    while (at > 0 && ends[at - 1] > value)
        at--;
    if (at > 0 && ends[at - 1] == value)
        return n;
    memmove(ends + at + 1, ends + at, (size_t)(n - at) * sizeof(*ends));
    ends[at] = value;
    return n + 1;
}

static void measure(simd_group_t *g, const sorted_t *pairs)
{
    for (int lane = 0; lane < g->n_lanes; lane++) {
        g->m[lane] = pairs[lane].m;
        g->n[lane] = pairs[lane].n;
        g->n_m_ends = add_end(g->m_ends, g->n_m_ends, pairs[lane].m);
        g->n_n_ends = add_end(g->n_ends, g->n_n_ends, pairs[lane].n);
    }
}

/* Scratch for a group: the row of H, then the letters of rows and of columns. */
static bool lay_out(simd_t *s, simd_group_t *g, const simd_sweep_t *sweep,
                    const sorted_t *pairs, scratch_t *scratch)
{
    size_t m_max = (size_t)g->m_ends[g->n_m_ends - 1];
    size_t n_max = (size_t)g->n_ends[g->n_n_ends - 1];
    size_t h_bytes = (n_max + 1) * (size_t)(sweep->lanes * sweep->bytes);
    size_t row_bytes = m_max * (size_t)sweep->lanes;
    size_t column_bytes = n_max * (size_t)sweep->lanes;
    size_t bytes = h_bytes + row_bytes + column_bytes + SIMD_ALIGN_BYTES;
    uint8_t *rows, *columns;

    bytes = (bytes + SIMD_ALIGN_BYTES - 1) / SIMD_ALIGN_BYTES * SIMD_ALIGN_BYTES;
    if (bytes > scratch->bytes) {
        free(scratch->memory);
        scratch->memory = aligned_alloc(SIMD_ALIGN_BYTES, bytes);
        scratch->bytes = scratch->memory != NULL ? bytes : 0;
    }
    if (scratch->memory == NULL)
        return false;
    g->h = scratch->memory;
    g->rows = rows = (uint8_t *)scratch->memory + h_bytes;
    g->columns = columns = rows + row_bytes;
    memset(rows, 0, row_bytes + column_bytes);
    for (int lane = 0; lane < g->n_lanes; lane++) {
        pair_t p = s->cpu.batch->pairs[pairs[lane].index];
        bool swap = seqset_len(s->cpu.set, p.query) > seqset_len(s->cpu.set, p.target);

        spread(s, swap ? p.target : p.query, lane, sweep->lanes, rows);
        spread(s, swap ? p.query : p.target, lane, sweep->lanes, columns);
    }
    return true;
}

static void align_group(void *ctx, int64_t item, int thread)
{
    simd_t *s = ctx;
    const align_spec_t *spec = s->cpu.spec;
    const align_scoring_t *scoring = &spec->scoring;
    const sorted_t *pairs = s->sorted + s->group_start[item];
    const simd_sweep_t *sweep = choose_sweep(s, pairs[0].n, pairs[0].n);
    nw_key_t key = nw_key_layout(spec, pairs[0].n, pairs[0].n);
    int64_t best[SIMD_LANES_MAX];
    simd_group_t g = {.n_lanes = (int)(s->group_start[item + 1] - s->group_start[item]),
                      .ends_free = spec->ends == ENDS_FREE,
                      .match = nw_key_step(key, scoring->match, 1),
                      .mismatch = nw_key_step(key, scoring->mismatch, 0),
                      .gap = nw_key_step(key, scoring->gap, 0),
                      .cancel = spec->cancel};

    if (align_cancelled(spec))
        return;
    measure(&g, pairs);
    if (!lay_out(s, &g, sweep, pairs, &s->scratch[thread])) {
        s->scratch[thread].failed = true;
        return;
    }
    sweep->sweep(&g, best);
    for (int lane = 0; lane < g.n_lanes; lane++) {
        int64_t score = best[lane], matches = 0, columns = 0;

        if (spec->emit == EMIT_IDENTITY)
            nw_key_split(key, best[lane], &score, &matches, &columns);
        cpu_batch_put(&s->cpu, pairs[lane].index, score, matches, columns);
    }
}

static status_t simd_wait(void *state, pair_results_t *out)
{
    simd_t *s = state;

    pool_run(s->cpu.pool, s->n_groups, align_group, s);
    for (int i = 0; i < pool_n_threads(s->cpu.pool); i++)
        if (s->scratch[i].failed)
            return log_nomem("the simd kernel");
    *out = s->cpu.results;
    return ST_OK;
}

const aligner_backend_t simd_backend = {
    .name = "simd",
    .kind = DEVICE_CPU,
    .cells_per_s = 3e9,
    .takes = simd_takes,
    .create = simd_create,
    .submit = simd_submit,
    .wait = simd_wait,
    .destroy = simd_destroy,
};
