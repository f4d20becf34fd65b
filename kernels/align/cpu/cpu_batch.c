/*
 * cpu_batch.c - the memory for a batch's results, and its CIGARs.
 */
#include "kernels/align/cpu/cpu_batch.h"

#include "io/base/logmsg.h"

#include <stdlib.h>
#include <string.h>

status_t cpu_batch_take(cpu_batch_t *cpu, const pair_batch_t *batch)
{
    bool identity = align_has_identity(cpu->context.spec);

    cpu->batch = batch;
    if (batch->n <= cpu->capacity)
        return ST_OK;
    cpu_batch_free(cpu);
    cpu->results.score = calloc((size_t)batch->n, sizeof(int32_t));
    cpu->results.matches = identity ? calloc((size_t)batch->n, sizeof(int32_t)) : NULL;
    cpu->results.columns = identity ? calloc((size_t)batch->n, sizeof(int32_t)) : NULL;
    if (cpu->results.score == NULL ||
        (identity && (cpu->results.matches == NULL || cpu->results.columns == NULL)))
        return log_nomem("a batch's results");
    cpu->capacity = batch->n;
    return ST_OK;
}

void cpu_batch_put(cpu_batch_t *cpu, int64_t index, int64_t score, int64_t matches,
                   int64_t columns)
{
    cpu->results.score[index] = (int32_t)score;
    if (cpu->results.matches != NULL) {
        cpu->results.matches[index] = (int32_t)matches;
        cpu->results.columns[index] = (int32_t)columns;
    }
}

void cpu_batch_free(cpu_batch_t *cpu)
{
    free(cpu->results.score);
    free(cpu->results.matches);
    free(cpu->results.columns);
    cpu->results = (pair_results_t){.score = NULL};
    cpu->capacity = 0;
}

/* ---- CIGARs: traces pairs on all threads, then puts their runs in the batch's order
 * ---- */

/* Where a pair's runs are until the batch is complete; it has some unless bytes = 0. */
typedef struct {
    int thread; /* in this thread's buffer */
    size_t at, bytes;
} place_t;

/* One thread's tracer, and the runs it has found. */
typedef struct {
    nw_trace_t *trace;
    buf_t runs;
    status_t state;
} tracer_t;

struct cpu_cigar {
    const cpu_batch_t *cpu;
    const nw_trace_ends_t *ends;
    tracer_t *tracers; /* [n_threads] */
    int n_threads;
    place_t *places; /* [capacity] by index */
    int64_t *start;  /* [capacity + 1] */
    int64_t capacity;
    buf_t runs; /* in the batch's order */
};

status_t cpu_cigar_create(const cpu_batch_t *cpu, simd_level_t level, cpu_cigar_t **out)
{
    cpu_cigar_t *c;
    status_t st = ST_OK;

    *out = NULL;
    if (cpu->context.spec->emit != EMIT_CIGAR)
        return ST_OK;
    if ((c = calloc(1, sizeof(*c))) == NULL)
        return log_nomem("CIGARs");
    c->n_threads = pool_n_threads(cpu->context.pool);
    c->tracers = calloc((size_t)c->n_threads, sizeof(*c->tracers));
    if (c->tracers == NULL)
        st = log_nomem("CIGARs");
    for (int i = 0; st == ST_OK && i < c->n_threads; i++)
        st = nw_trace_create(cpu->context.spec, cpu->context.run.cancel, level,
                             &c->tracers[i].trace);
    if (st == ST_OK)
        *out = c;
    else
        cpu_cigar_destroy(c);
    return st;
}

static status_t reserve(cpu_cigar_t *c, int64_t n)
{
    if (c->start != NULL && n <= c->capacity)
        return ST_OK;
    free(c->places);
    free(c->start);
    c->capacity = 0;
    c->places = malloc((size_t)(n + 1) * sizeof(*c->places));
    c->start = malloc((size_t)(n + 1) * sizeof(*c->start));
    if (c->places == NULL || c->start == NULL)
        return log_nomem("a batch's CIGARs");
    c->capacity = n;
    return ST_OK;
}

status_t cpu_cigar_begin(cpu_cigar_t *c, int64_t n)
{
    status_t st = ST_OK;

    if (c == NULL || (st = reserve(c, n)) != ST_OK)
        return st;
    memset(c->places, 0, (size_t)n * sizeof(*c->places));
    for (int i = 0; i < c->n_threads; i++)
        c->tracers[i].runs.len = 0;
    return ST_OK;
}

void cpu_cigar_put(cpu_cigar_t *c, int thread, int64_t index, const trace_path_t *path)
{
    tracer_t *tracer = &c->tracers[thread];
    const size_t at = tracer->runs.len;

    if (tracer->state == ST_OK)
        tracer->state = trace_path_append(path, &tracer->runs);
    c->places[index] = (place_t){thread, at, tracer->runs.len - at};
}

static void trace_one(void *ctx, int64_t i, int thread)
{
    cpu_cigar_t *c = ctx;
    const cpu_batch_t *cpu = c->cpu;
    tracer_t *tracer = &c->tracers[thread];
    pair_t p = cpu->batch->pairs[i];
    int64_t m = seqset_len(cpu->context.set, p.query),
            n = seqset_len(cpu->context.set, p.target);
    nw_cell_t known = {cpu->results.score[i], cpu->results.matches[i],
                       cpu->results.columns[i]};

    if (c->places[i].bytes > 0)
        return;
    c->places[i] = (place_t){.thread = thread, .at = tracer->runs.len};
    if (tracer->state != ST_OK || align_cancelled(cpu->context.run.cancel) ||
        !align_has_cigar(cpu->context.spec, m, n, cpu->results.columns[i]))
        return;
    tracer->state =
        nw_trace_pair(tracer->trace, seqset_letters(cpu->context.set, p.query), m,
                      seqset_letters(cpu->context.set, p.target), n, &known,
                      c->ends != NULL ? &c->ends[i] : NULL, &tracer->runs);
    c->places[i].bytes = tracer->runs.len - c->places[i].at;
}

/* Copy the pairs' runs in the batch's order. */
static status_t gather(cpu_cigar_t *c, int64_t n)
{
    size_t bytes = 0;
    status_t st;

    for (int i = 0; i < c->n_threads; i++)
        if (c->tracers[i].state != ST_OK)
            return c->tracers[i].state;
        else
            bytes += c->tracers[i].runs.len;
    c->runs.len = 0;
    if ((st = buf_reserve(&c->runs, bytes + sizeof(uint32_t))) != ST_OK)
        return st;
    for (int64_t i = 0; i < n; i++) {
        const place_t *place = &c->places[i];
        const tracer_t *tracer = &c->tracers[place->thread];

        c->start[i] = (int64_t)(c->runs.len / sizeof(uint32_t));
        if (place->bytes > 0)
            memcpy(c->runs.data + c->runs.len, tracer->runs.data + place->at,
                   place->bytes);
        c->runs.len += place->bytes;
    }
    c->start[n] = (int64_t)(c->runs.len / sizeof(uint32_t));
    return ST_OK;
}

status_t cpu_cigar_run(cpu_cigar_t *c, cpu_batch_t *cpu, const nw_trace_ends_t *ends)
{
    int64_t n = cpu->batch->n;
    status_t st;

    if (c == NULL)
        return ST_OK;
    c->cpu = cpu;
    c->ends = ends;
    pool_run(cpu->context.pool, n, trace_one, c);
    if ((st = gather(c, n)) != ST_OK)
        return st;
    cpu->results.cigar_start = c->start;
    cpu->results.cigar = (const uint32_t *)(const void *)c->runs.data;
    return ST_OK;
}

void cpu_cigar_destroy(cpu_cigar_t *c)
{
    if (c == NULL)
        return;
    for (int i = 0; c->tracers != NULL && i < c->n_threads; i++) {
        nw_trace_destroy(c->tracers[i].trace);
        buf_free(&c->tracers[i].runs);
    }
    free(c->tracers);
    free(c->places);
    free(c->start);
    buf_free(&c->runs);
    free(c);
}
