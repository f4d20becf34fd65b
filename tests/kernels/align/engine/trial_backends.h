/*
 * trial_backends.h - made-up backends to be tried, and a cache in a temporary directory.
 *
 * Every backend is a fast one of the CPU under another name, slowed down or made wrong.
 * Its time is made up too, so that no test depends on what else the machine does.
 */
#pragma once

#include "kernels/align/common/aligner_backend.h"
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
static int n_calls;       /* submits */
static int n_sleeps;      /* waits that slept */
static int64_t max_pairs; /* in one submit */
static int64_t n_pairs;   /* in the last submit */
static double fake_s;     /* the time, which only these backends change */

/* What computes for all of them. */
static const aligner_backend_t *worker(void)
{
    return device_cpu().simd != SIMD_NONE ? &simd_backend : &scalar_backend;
}

static bool fits_any(const align_context_t *context, int64_t m, int64_t n)
{
    return scalar_backend.fits(context, m, n);
}

static status_t create(const align_context_t *context, void **state)
{
    align_context_t on_cpu = *context;

    on_cpu.device = &cpu;
    return worker()->create(&on_cpu, state);
}

static status_t submit(void *state, const pair_batch_t *batch)
{
    n_calls++;
    n_pairs = batch->n;
    max_pairs = batch->n > max_pairs ? batch->n : max_pairs;
    return worker()->submit(state, batch);
}

static double fake_now_s(void)
{
    return fake_s;
}

/* Pairs of 5,000 cells take 5 microseconds, at 10^9 cells per second. */
static status_t wait_at_once(void *state, pair_results_t *out)
{
    fake_s += 5e-6 * (double)n_pairs;
    return worker()->wait(state, out);
}

static status_t wait_and_sleep(void *state, pair_results_t *out)
{
    n_sleeps++;
    fake_s += 0.02;
    return wait_at_once(state, out);
}

static void destroy(void *state)
{
    worker()->destroy(state);
}

/* As the scalar backend, whose member is no constant expression. */
#define SUPPORTS_ALL                                                                  \
    {                                                                                 \
        .alphabets = ALIGN_BIT(ALPHABET_DNA), .gaps = ALIGN_BIT(GAPS_LINEAR),         \
        .ends = ALIGN_BIT(ENDS_FREE) | ALIGN_BIT(ENDS_COUNT) | ALIGN_BIT(ENDS_QUERY), \
        .scorings = ALIGN_BIT(SCORING_TWO_VALUED) | ALIGN_BIT(SCORING_MATRIX),        \
        .emits =                                                                      \
            ALIGN_BIT(EMIT_SCORE) | ALIGN_BIT(EMIT_IDENTITY) | ALIGN_BIT(EMIT_CIGAR), \
    }

#define BACKEND_ON(device_kind, its_name, rate, its_fits, its_wait)             \
    {                                                                           \
        .base = {its_name, device_kind, rate}, .supports = SUPPORTS_ALL,        \
        .fits = its_fits, .create = create, .submit = submit, .wait = its_wait, \
        .destroy = destroy,                                                     \
    }

#define BACKEND(its_name, rate, its_fits, its_wait) \
    BACKEND_ON(DEVICE_CPU, its_name, rate, its_fits, its_wait)

static const aligner_backend_t quick = BACKEND("quick", 1e9, fits_any, wait_at_once);
static const aligner_backend_t slow = BACKEND("slow", 2e9, fits_any, wait_and_sleep);

static const backend_t *const slow_and_quick[] = {&slow.base, &quick.base, NULL};

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

static status_t try_on(const device_t *device, const backend_t *const *rows,
                       const seqset_t *set, align_emit_t emit, const char *version,
                       trial_outcome_t *out)
{
    align_spec_t spec = spec_of(emit);
    trial_cache_t *cache = NULL;
    const backend_table_t table = {.name = "align", .rows = rows};
    trial_t t = {{device, pool, set, &spec, {0}}, &table, NULL, fake_now_s};
    status_t st;

    if (version != NULL)
        assert_int_equal(trial_cache_create(version, &cache), ST_OK);
    t.cache = cache;
    st = trial_run(&t, out);
    trial_cache_destroy(cache);
    return st;
}

static status_t try(const backend_t *const *rows, const seqset_t *set, align_emit_t emit,
                    const char *version, trial_outcome_t *out)
{
    return try_on(&cpu, rows, set, emit, version, out);
}

#define TEST(name) cmocka_unit_test_setup(name, forget)
