/*
 * synthetic_job.c - makes lengths and a packed tile at random; times and writes logs.
 */
#include "bench/dispatch/dispatch_bench.h"

#include "io/base/logmsg.h"
#include "io/base/rng.h"
#include "io/pairs/pairs_format.h"
#include "io/store/tile_pack.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const double log_timing_s = 1.0;

static double seconds_of(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double synthetic_job_cpu_s(void)
{
    return seconds_of(CLOCK_THREAD_CPUTIME_ID);
}

/* @return a roughly normal random value, at most 3 * spread from `middle` */
static int64_t about(rng_t *rng, int64_t middle, int64_t spread)
{
    int64_t sum = 0;

    for (int i = 0; i < 3; i++)
        sum += (int64_t)rng_below(rng, (uint64_t)(2 * spread + 1)) - spread;
    return middle + sum;
}

/* Draw lengths like those of 16S genes; the bases are never read. */
static status_t make_set(int64_t n, rng_t *rng, seqset_t **out)
{
    status_t st = seqset_create(n, 0, 0, out);

    if (st != ST_OK)
        return st;
    (*out)->offset[0] = 0;
    for (int64_t i = 0; i < n; i++)
        (*out)->offset[i + 1] = (*out)->offset[i] + about(rng, 1440, 40);
    return ST_OK;
}

/* Draw score, matches and columns like those of random pairs of 16S genes, whose
 * identities are around 75 %.  Pairs are independent here; real tiles, whose rows are
 * similar, pack somewhat better. */
static void fill(int32_t *const *values, int64_t n, rng_t *rng)
{
    for (int64_t i = 0; i < n; i++) {
        int64_t gaps = about(rng, 120, 30), mismatches = about(rng, 280, 50);
        int64_t columns = about(rng, 1470, 30);
        int64_t matches = columns - gaps - mismatches;

        values[PAIRS_SCORE][i] = (int32_t)(4 * matches - 5 * mismatches - 7 * gaps);
        values[PAIRS_MATCHES][i] = (int32_t)matches;
        values[PAIRS_COLUMNS][i] = (int32_t)columns;
    }
}

static status_t pack_tile(int64_t side, rng_t *rng, buf_t *out)
{
    int64_t n = side * side;
    int32_t *values[PAIRS_DATASETS_MAX + 1] = {NULL}; /* the last one is scratch */
    status_t st = ST_OK;

    for (int d = 0; d <= PAIRS_DATASETS_MAX; d++)
        if ((values[d] = malloc((size_t)n * sizeof(**values))) == NULL)
            st = log_nomem("a tile");
    if (st == ST_OK)
        fill(values, n, rng);
    for (int d = 0; st == ST_OK && d < PAIRS_DATASETS_MAX; d++)
        st = tile_pack_append(values[d], n, values[PAIRS_DATASETS_MAX], out);
    for (int d = 0; d <= PAIRS_DATASETS_MAX; d++)
        free(values[d]);
    return st;
}

static status_t make_tile(const synthetic_job_opts_t *o, synthetic_job_t *j, rng_t *rng)
{
    status_t st;

    if (o->tile_bytes == 0)
        return pack_tile(j->grid.side, rng, &j->tile);
    if ((st = buf_reserve(&j->tile, (size_t)o->tile_bytes)) != ST_OK)
        return st;
    j->tile.len = (size_t)o->tile_bytes;
    for (size_t i = 0; i < j->tile.len; i++)
        j->tile.data[i] = (unsigned char)rng_next(rng);
    return ST_OK;
}

/* Create a log and remove its name, so that nothing is left of it. */
static status_t open_log(const char *folder, const char *what, int64_t n_tasks,
                         reslog_t **out)
{
    char *path;
    status_t st;

    if (asprintf(&path, "%s/ribogrid-bench-%s-%d", folder, what, (int)getpid()) < 0)
        return log_nomem("a path");
    if ((st = reslog_open(path, "job=bench\n", n_tasks, true, out)) == ST_OK)
        unlink(path);
    free(path);
    return st;
}

status_t synthetic_job_time_log(const synthetic_job_t *job, const char *folder,
                                int64_t max_bytes, log_timing_t *out)
{
    int64_t max_records = max_bytes / (int64_t)(job->tile.len + 1) + 1, n = 0;
    double wall = seconds_of(CLOCK_MONOTONIC), cpu = synthetic_job_cpu_s();
    reslog_t *log = NULL;
    status_t st = open_log(folder, "timing", max_records, &log);

    while (st == ST_OK && n < max_records &&
           seconds_of(CLOCK_MONOTONIC) - wall < log_timing_s)
        st = reslog_append(log, n++, 0, job->tile.data, job->tile.len);
    if (st == ST_OK)
        st = reslog_sync(log);
    if (st == ST_OK)
        *out = (log_timing_t){.seconds = (seconds_of(CLOCK_MONOTONIC) - wall) / (double)n,
                              .cpu_s = (synthetic_job_cpu_s() - cpu) / (double)n};
    reslog_close(log);
    return st;
}

void synthetic_job_destroy(synthetic_job_t *job)
{
    if (job == NULL)
        return;
    reslog_close(job->base.log);
    seqset_destroy(job->set);
    buf_free(&job->tile);
    free(job);
}

static int64_t cost(const job_t *job, int64_t task)
{
    const synthetic_job_t *j = (const synthetic_job_t *)job;
    tile_t tile = tile_at(&j->grid, task);

    return tile_cells(&tile, j->set);
}

static int64_t items(const job_t *job, int64_t task)
{
    const synthetic_job_t *j = (const synthetic_job_t *)job;
    tile_t tile = tile_at(&j->grid, task);

    return tile_pairs(&tile);
}

/* Check that the log is complete at the end of the run. */
static status_t write_result(job_t *job, const job_report_t *report)
{
    const synthetic_job_t *j = (const synthetic_job_t *)job;

    (void)report;
    if (job->log == NULL || reslog_n_done(job->log) == j->grid.n_tiles)
        return ST_OK;
    log_error("the log lacks results; this is a bug in ribogrid, please report it");
    return ST_EIO;
}

static const job_ops_t ops = {.name = "bench",
                              .size = sizeof(synthetic_job_t),
                              .cost = cost,
                              .items = items,
                              .write_result = write_result};

status_t synthetic_job_create(const synthetic_job_opts_t *opts, synthetic_job_t **out)
{
    synthetic_job_t *j = calloc(1, sizeof(*j));
    rng_t rng = rng_seed(opts->seed);
    status_t st;

    if (j == NULL)
        return log_nomem("a job");
    j->base.ops = &ops;
    j->base.log_becomes_output = true; /* it stays until the job is destroyed */
    if ((st = make_set(opts->n, &rng, &j->set)) == ST_OK) {
        j->grid = tile_grid(j->set);
        st = make_tile(opts, j, &rng);
    }
    if (st == ST_OK && opts->writes_log)
        st = open_log(opts->folder, "run", j->grid.n_tiles, &j->base.log);
    j->base.plan = (job_plan_t){.kind = JOB_FREE,
                                .n_tasks = j->grid.n_tiles,
                                .n_shards = opts->n_shards,
                                .task_word = "tiles",
                                .item_word = "pairs",
                                .cost_word = "cells",
                                .rate_word = "CUPS"};
    if (st != ST_OK) {
        synthetic_job_destroy(j);
        return st;
    }
    *out = j;
    return ST_OK;
}
