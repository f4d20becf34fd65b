/*
 * cmd_bench_dispatch.c - `ribogrid-bench dispatch`: simulates how many ranks rank 0 can
 * serve.
 */
#include "bench/dispatch/dispatch_bench.h"
#include "bench/options/benchmarks.h"
#include "dispatcher/run.h"
#include "dispatcher/simulate/simulated_run.h"
#include "io/base/byte_size.h"
#include "io/base/logmsg.h"
#include "io/base/rng.h"
#include "io/file/whole_file.h"
#include "tools/options/option_tables.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { TILES_PER_RANK = 64, SAMPLE_BYTES = 128 << 20, N_SAMPLES = 3 };

typedef enum { STORE_MEASURED, STORE_REAL } store_kind_t;

typedef struct {
    job_opts_t common;
    int64_t n_ranks, n_sequences, fast, slow, seed, latency_us, message_ns;
    int64_t bandwidth, tile_bytes, store_rate, max_log_bytes;
    fraction_t fast_fraction, jitter;
    int store; /* store_kind_t */
    bool sweep;
    const char *folder, *svg;
} args_t;

static const option_t options[] = {
    {.kind = OPTION_GROUP, .name = "Workers"},
    {OPTION_INT, "ranks", 0, OPTION_AT(args_t, n_ranks), "N", "simulate N ranks (4096)",
     1, 1 << 20},
    {OPTION_FLAG, "sweep", 0, OPTION_AT(args_t, sweep), NULL,
     "also simulate 1, 2, 4, ... ranks"},
    {OPTION_INT, "fast", 0, OPTION_AT(args_t, fast), "GCUPS",
     "speed of a fast worker (1000)", 1, 1000000},
    {OPTION_INT, "slow", 0, OPTION_AT(args_t, slow), "GCUPS",
     "speed of a slow worker (250)", 1, 1000000},
    {OPTION_FRACTION, "fast-part", 0, OPTION_AT(args_t, fast_fraction), "FRACTION",
     "fraction of the ranks that are fast (0.5)"},
    {OPTION_FRACTION, "jitter", 0, OPTION_AT(args_t, jitter), "FRACTION",
     "vary the time of each task by up to this fraction (0.1)"},
    {.kind = OPTION_GROUP, .name = "Work"},
    {OPTION_INT, "sequences", 0, OPTION_AT(args_t, n_sequences), "N",
     "sequences of 16S-like lengths (0: about 64 tiles per rank)", 0, 10000000},
    {OPTION_SIZE, "tile-bytes", 0, OPTION_AT(args_t, tile_bytes), "SIZE",
     "size of a packed tile (0: pack one and measure)"},
    {.kind = OPTION_TABLE, OPTION_AT(args_t, seed), .table = option_seed},
    {.kind = OPTION_GROUP, .name = "Network"},
    {OPTION_INT, "latency-us", 0, OPTION_AT(args_t, latency_us), "N",
     "latency of a message in microseconds (5)", 0, 1000000},
    {OPTION_SIZE, "bandwidth", 0, OPTION_AT(args_t, bandwidth), "SIZE",
     "bandwidth of rank 0 per second and direction (12G)"},
    {OPTION_INT, "message-ns", 0, OPTION_AT(args_t, message_ns), "N",
     "time that rank 0 spends in MPI per message, assumed (1000)", 0, 1000000000},
    {.kind = OPTION_GROUP, .name = "Log"},
    {OPTION_CHOICE, "store", 0, OPTION_AT(args_t, store), "measured|real",
     "measured: only time the log; real: also write every result to it (measured)"},
    {.word = WORD_LOG_SHARDS,
     OPTION_AT(args_t, common.log_shards),
     .help = ", each with a disk of its own (with --store real: 1)"},
    {OPTION_SIZE, "store-rate", 0, OPTION_AT(args_t, store_rate), "SIZE",
     "assume that the log takes this much per second (0: measure)"},
    {OPTION_TEXT, "folder", 0, OPTION_AT(args_t, folder), "DIR",
     "where to write the log ($TMPDIR, or /tmp)"},
    {OPTION_SIZE, "max-log", 0, OPTION_AT(args_t, max_log_bytes), "SIZE",
     "maximum size of the log with --store real (2G)"},
    {.kind = OPTION_GROUP, .name = "Output"},
    {.word = WORD_SVG,
     OPTION_AT(args_t, svg),
     .help = " utilization and the load of rank 0"},
    {.kind = OPTION_TABLE, .table = option_force},
    {.kind = OPTION_END}};

/* @return the number of sequences that make about TILES_PER_RANK full-size tiles per rank
 */
static int64_t sequences_for(const args_t *a, int64_t n_ranks)
{
    double blocks = ceil(sqrt(2.0 * TILES_PER_RANK * (double)n_ranks));

    return a->n_sequences > 0 ? a->n_sequences : (int64_t)blocks * TILE_SIDE_MAX;
}

/* Set each rank's real speed and the nominal one, which the dispatcher first assumes.
 * Fast ranks come first. */
static void set_speeds(const args_t *a, int n_ranks, double *rate, double *guess)
{
    int n_fast = (int)lround(fraction_value(&a->fast_fraction) * n_ranks);
    rng_t rng = rng_seed((uint64_t)a->seed);

    for (int r = 0; r < n_ranks; r++) {
        double chance = (double)rng_below(&rng, 20001) / 10000 - 1;

        guess[r] = 1e9 * (double)(r < n_fast ? a->fast : a->slow);
        rate[r] = guess[r] * (1 + fraction_value(&a->jitter) / 2 * chance);
    }
}

static double max_results_per_s(const synthetic_job_t *job, int n_ranks,
                                const double *rate)
{
    double power = 0, cost = 0;

    for (int r = 0; r < n_ranks; r++)
        power += rate[r];
    for (int64_t k = 0; k < job->grid.n_tiles; k++)
        cost += (double)job_cost(&job->base, k);
    return power / (cost / (double)job->grid.n_tiles);
}

static int ascending(const void *a, const void *b)
{
    const log_timing_t *x = a, *y = b;

    return x->seconds < y->seconds ? -1 : x->seconds > y->seconds;
}

/* Time the log: the median of N_SAMPLES.  A row reuses the previous row's times if its
 * tiles have about the same size. */
static status_t measure_store(const args_t *a, const synthetic_job_t *job,
                              const char *folder, const scaling_row_t *before,
                              scaling_row_t *row)
{
    log_timing_t samples[N_SAMPLES];
    status_t st = ST_OK;

    if (before != NULL &&
        llabs(before->tile_bytes - row->tile_bytes) < row->tile_bytes / 20) {
        row->store_s = before->store_s;
        row->store_cpu_s = before->store_cpu_s;
        return ST_OK;
    }
    for (int i = 0; st == ST_OK && i < N_SAMPLES; i++)
        st = synthetic_job_time_log(job, folder, SAMPLE_BYTES, &samples[i]);
    if (st != ST_OK)
        return st;
    qsort(samples, N_SAMPLES, sizeof(samples[0]), ascending);
    row->store_s = a->store_rate > 0 ? (double)job->tile.len / (double)a->store_rate
                                     : samples[N_SAMPLES / 2].seconds;
    row->store_cpu_s = fmin(samples[N_SAMPLES / 2].cpu_s, row->store_s);
    return ST_OK;
}

static status_t simulate(const args_t *a, synthetic_job_t *job, const double *rate,
                         const double *guess, scaling_row_t *row)
{
    simulated_run_opts_t o = {.message_s = 1e-9 * (double)a->message_ns,
                              .min_wait_s = 1e-6 * RUN_WAIT_MIN_US,
                              .max_wait_s = 1e-6 * RUN_WAIT_MAX_US};
    log_level_t level = log_level();
    status_t st;

    o.transport = (simulated_opts_t){.n_ranks = (int)row->n_ranks,
                                     .rate = rate,
                                     .guess = guess,
                                     .jitter = fraction_value(&a->jitter),
                                     .seed = (uint64_t)a->seed + 1,
                                     .latency_s = 1e-6 * (double)a->latency_us,
                                     .bytes_per_s = (double)a->bandwidth,
                                     .result_bytes = job->tile.len,
                                     .payload = job->tile.data,
                                     .job = &job->base,
                                     .store_s = row->store_s,
                                     .clock = synthetic_job_cpu_s};
    log_set_level(LOG_QUIET); /* its progress messages would show real time */
    st = simulated_run(&o, &job->base, &row->run);
    log_set_level(level);
    return st;
}

static status_t run_ranks(const args_t *a, synthetic_job_t *job, scaling_row_t *row)
{
    size_t n = (size_t)row->n_ranks;
    double *rate = calloc(n, sizeof(*rate)), *guess = calloc(n, sizeof(*guess));
    status_t st;

    if (rate == NULL || guess == NULL) {
        st = log_nomem("the ranks' speeds");
    } else {
        set_speeds(a, (int)n, rate, guess);
        row->results_per_s = max_results_per_s(job, (int)n, rate);
        st = simulate(a, job, rate, guess, row);
    }
    free(rate);
    free(guess);
    return st;
}

static status_t check_log(const args_t *a, const synthetic_job_t *job)
{
    double bytes = (double)job->grid.n_tiles * (double)job->tile.len;
    char size[BYTE_SIZE_TEXT_BYTES], limit[BYTE_SIZE_TEXT_BYTES];

    if (a->store != STORE_REAL || bytes <= (double)a->max_log_bytes)
        return ST_OK;
    return options_misuse(&cmd_bench_dispatch,
                          "--store real would write %s, more than --max-log, %s; raise "
                          "it, or give --store measured or fewer --sequences",
                          byte_size_text(bytes, size),
                          byte_size_text((double)a->max_log_bytes, limit));
}

/* A sweep has rows of fewer ranks than shards. */
static int shards_of(const args_t *a, int64_t n_ranks)
{
    const int64_t n = a->store == STORE_REAL     ? 1
                      : a->common.log_shards > 0 ? a->common.log_shards
                                                 : job_default_shards((int)n_ranks);

    return (int)(n < n_ranks ? n : n_ranks);
}

static status_t make_row(const args_t *a, int64_t n_ranks, const scaling_row_t *before,
                         scaling_row_t *out)
{
    const char *parent = getenv("TMPDIR");
    const char *folder = a->folder != NULL ? a->folder : parent != NULL ? parent : "/tmp";
    synthetic_job_opts_t opts = {.n = sequences_for(a, n_ranks),
                                 .seed = (uint64_t)a->seed,
                                 .tile_bytes = a->tile_bytes,
                                 .n_shards = shards_of(a, n_ranks),
                                 .folder = folder,
                                 .writes_log = a->store == STORE_REAL};
    synthetic_job_t *job = NULL;
    status_t st = synthetic_job_create(&opts, &job);

    if (st != ST_OK)
        return st;
    *out = (scaling_row_t){.n_ranks = n_ranks,
                           .n_shards = opts.n_shards,
                           .n_sequences = opts.n,
                           .n_tiles = job->grid.n_tiles,
                           .tile_bytes = (int64_t)job->tile.len};
    st = check_log(a, job);
    if (st == ST_OK)
        st = measure_store(a, job, folder, before, out);
    if (st == ST_OK)
        st = run_ranks(a, job, out);
    synthetic_job_destroy(job);
    return st;
}

static status_t check(const args_t *a)
{
    if (a->bandwidth == 0)
        return options_misuse(
            &cmd_bench_dispatch,
            "--bandwidth 0: nothing would arrive; give a positive rate");
    if (a->n_sequences == 1)
        return options_misuse(
            &cmd_bench_dispatch,
            "--sequences 1: there is no pair to compare; give 2 or more, or 0");
    if (a->common.log_shards > a->n_ranks)
        return options_misuse(&cmd_bench_dispatch,
                              "--log-shards: give at most --ranks, %" PRId64, a->n_ranks);
    if (a->store == STORE_REAL && a->common.log_shards > 1)
        return options_misuse(&cmd_bench_dispatch,
                              "--store real writes one log; leave out --log-shards");
    if (a->tile_bytes > INT32_MAX)
        return options_misuse(&cmd_bench_dispatch, "--tile-bytes: give at most 2G - 1");
    return ST_OK;
}

static void log_limit(const scaling_row_t *row)
{
    scaling_limit_t limit = scaling_table_limit(row);

    log_info("rank 0 is saturated at about %.0f such ranks: the %s is the limit; %s log "
             "took %.0f MB/s",
             limit.n_ranks, limit.what, row->n_shards > 1 ? "each" : "the",
             1e-6 * (double)row->tile_bytes / row->store_s);
}

static status_t draw(const args_t *a, const scaling_row_t *rows, int n)
{
    whole_file_t *to;
    status_t st = whole_file_open(a->svg, WHOLE_FILE_TEXT, a->common.force, &to);

    if (st != ST_OK)
        return st;
    scaling_chart_draw(whole_file_stream(to), rows, n);
    return whole_file_close(to, ST_OK);
}

static void defaults(void *args)
{
    args_t *a = args;

    a->n_ranks = 4096;
    a->fast = 1000;
    a->slow = 250;
    a->seed = 1;
    a->latency_us = 5;
    a->message_ns = 1000;
    a->bandwidth = INT64_C(12) << 30;
    a->max_log_bytes = INT64_C(2) << 30;
    a->fast_fraction = (fraction_t){1, 2};
    a->jitter = (fraction_t){1, 10};
}

static status_t run(void *args)
{
    const args_t *a = args;
    scaling_row_t rows[SCALING_ROWS_MAX];
    int n = 0;
    status_t st = check(a);

    for (int64_t r = a->sweep ? 1 : a->n_ranks; st == ST_OK && r <= a->n_ranks;
         r = r < a->n_ranks && 2 * r > a->n_ranks ? a->n_ranks : 2 * r) {
        st = make_row(a, r, n > 0 ? &rows[n - 1] : NULL, &rows[n]);
        n++;
    }
    if (st == ST_OK)
        scaling_table_print_tsv(rows, n);
    if (st == ST_OK)
        log_limit(&rows[n - 1]);
    if (st == ST_OK && a->svg != NULL)
        st = draw(a, rows, n);
    return st;
}

const command_t cmd_bench_dispatch = {
    .name = "dispatch",
    .summary = "simulate thousands of ranks to find out what limits rank 0",
    .usage = "[options]",
    .options = options,
    .args_bytes = sizeof(args_t),
    .notes =
        "The dispatcher is the real one; workers, network and time are simulated. The\n"
        "speed of the log is measured first. Loads are fractions of the simulated time;\n"
        "utilization is the fraction of the workers' power that was used.\n"
        "See docs/scaling.md.\n",
    .example = "ribogrid-bench dispatch --ranks 4096 --sweep --svg scaling.svg",
    .defaults = defaults,
    .run = run,
};
