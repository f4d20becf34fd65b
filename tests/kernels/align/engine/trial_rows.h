/*
 * trial_rows.h - rows to be tried, the scalar one in disguise, and where answers are
 * kept.
 */
#ifndef RIBOGRID_TESTS_KERNELS_ALIGN_ENGINE_TRIAL_ROWS_H
#define RIBOGRID_TESTS_KERNELS_ALIGN_ENGINE_TRIAL_ROWS_H

#include "kernels/align/cpu/scalar.h"
#include "kernels/align/engine/trial.h"
#include "tests/support/random_set.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static pool_t *pool;
static device_t cpu;
static char dir[] = "/tmp/ribogrid_trial.XXXXXX";
static int n_calls;       /* of any row's submit */
static int n_sleeps;      /* of the slow rows' wait */
static int64_t max_pairs; /* of them */

static bool takes_any(const device_t *device, const align_spec_t *spec, int64_t m,
                      int64_t n)
{
    return scalar_backend.takes(device, spec, m, n);
}

static status_t create(const device_t *device, pool_t *threads, const seqset_t *set,
                       const align_spec_t *spec, void **state)
{
    return scalar_backend.create(device, threads, set, spec, state);
}

static status_t submit(void *state, const pair_batch_t *batch)
{
    n_calls++;
    max_pairs = batch->n > max_pairs ? batch->n : max_pairs;
    return scalar_backend.submit(state, batch);
}

static status_t wait_at_once(void *state, pair_results_t *out)
{
    return scalar_backend.wait(state, out);
}

static status_t wait_and_sleep(void *state, pair_results_t *out)
{
    n_sleeps++;
    usleep(20000);
    return scalar_backend.wait(state, out);
}

static void destroy(void *state)
{
    scalar_backend.destroy(state);
}

#define ROW(row_name, rate, row_takes, row_wait)                                       \
    {                                                                                  \
        .name = row_name, .kind = DEVICE_CPU, .cells_per_s = rate, .takes = row_takes, \
        .create = create, .submit = submit, .wait = row_wait, .destroy = destroy,      \
    }

static const aligner_backend_t quick = ROW("quick", 1e9, takes_any, wait_at_once);
static const aligner_backend_t slow = ROW("slow", 2e9, takes_any, wait_and_sleep);

static const aligner_backend_t *const slow_and_quick[] = {&slow, &quick, NULL};

static bool get(void *ctx, const char *key, trial_entry_t *out)
{
    return trial_cache_get(ctx, key, out);
}

static void put(void *ctx, const char *key, const trial_entry_t *entry)
{
    trial_cache_put(ctx, key, entry);
}

static int make_ready(void **state)
{
    (void)state;
    cpu = device_cpu();
    return mkdtemp(dir) != NULL && setenv("RIBOGRID_CACHE", dir, 1) == 0 &&
                   pool_create(2, &pool) == ST_OK
               ? 0
               : -1;
}

static void file_path(char *out)
{
    snprintf(out, 128, "%s/kernels", dir);
}

static int forget(void **state)
{
    char path[128];

    (void)state;
    file_path(path);
    unlink(path);
    n_calls = 0;
    max_pairs = 0;
    return setenv("RIBOGRID_CACHE", dir, 1);
}

static int clean_up(void **state)
{
    forget(state);
    pool_destroy(pool);
    return rmdir(dir);
}

static seqset_t *set_of(int64_t len_min, int64_t len_max)
{
    rng_t rng = rng_seed(1);
    random_set_opts_t opts = {60, len_min, len_max, 30};
    seqset_t *set = NULL;

    assert_int_equal(random_set_create(&rng, &opts, &set), ST_OK);
    return set;
}

static align_spec_t spec_of(align_emit_t emit)
{
    align_spec_t spec = {.emit = emit, .ends = ENDS_FREE, .min_overlap = {1, 2}};

    align_scoring_set(&spec.scoring, AMBIGUITY_N_MISMATCH, 4, -5, -7);
    return spec;
}

static status_t try_on(const device_t *device, const aligner_backend_t *const *rows,
                       const seqset_t *set, align_emit_t emit, const char *version,
                       trial_outcome_t *out)
{
    align_spec_t spec = spec_of(emit);
    trial_cache_t *cache = NULL;
    aligner_memory_t memory = {NULL, get, put};
    trial_t t = {device, pool, set, &spec, rows, version != NULL ? &memory : NULL};
    status_t st;

    if (version != NULL)
        assert_int_equal(trial_cache_create(version, &cache), ST_OK);
    memory.ctx = cache;
    st = trial_run(&t, out);
    trial_cache_destroy(cache);
    return st;
}

static status_t try(const aligner_backend_t *const *rows, const seqset_t *set,
                    align_emit_t emit, const char *version, trial_outcome_t *out)
{
    return try_on(&cpu, rows, set, emit, version, out);
}

#define TEST(name) cmocka_unit_test_setup(name, forget)

#endif
