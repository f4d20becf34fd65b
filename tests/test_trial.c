/*
 * test_trial.c - a trial of rows avoids the slow one, refuses the wrong one, and asks the
 * cache first.  The rows are the scalar one in disguise.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kernels/align/scalar.h"
#include "kernels/align/trial.h"
#include "tests/random_set.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static pool_t *pool;
static device_t cpu;
static char dir[] = "/tmp/ribogrid_trial.XXXXXX";
static int n_calls; /* of any row's submit */

static bool takes_any(const device_t *device, const align_spec_t *spec, int64_t m,
                      int64_t n)
{
    return scalar_backend.takes(device, spec, m, n);
}

static bool takes_up_to_100(const device_t *device, const align_spec_t *spec, int64_t m,
                            int64_t n)
{
    return scalar_backend.takes(device, spec, m, n) && m <= 100 && n <= 100;
}

static status_t create(const device_t *device, pool_t *threads, const seqset_t *set,
                       const align_spec_t *spec, void **state)
{
    return scalar_backend.create(device, threads, set, spec, state);
}

static status_t submit(void *state, const pair_batch_t *batch)
{
    n_calls++;
    return scalar_backend.submit(state, batch);
}

static status_t wait_at_once(void *state, pair_results_t *out)
{
    return scalar_backend.wait(state, out);
}

static status_t wait_and_sleep(void *state, pair_results_t *out)
{
    usleep(20000);
    return scalar_backend.wait(state, out);
}

static status_t wait_and_spoil_score(void *state, pair_results_t *out)
{
    status_t st = scalar_backend.wait(state, out);

    out->score[1]++;
    return st;
}

/* Fast, and wrong where the reference does not look. */
static status_t wait_and_spoil_late(void *state, pair_results_t *out)
{
    static int n;
    status_t st = scalar_backend.wait(state, out);

    if (++n % 2 == 0)
        out->columns[40]++;
    return st;
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
static const aligner_backend_t wrong = ROW("wrong", 3e9, takes_any, wait_and_spoil_score);
static const aligner_backend_t late = ROW("late", 3e9, takes_any, wait_and_spoil_late);
static const aligner_backend_t narrow = ROW("narrow", 1e9, takes_up_to_100, wait_at_once);

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

static status_t try(const aligner_backend_t *const *rows, const seqset_t *set,
                    align_emit_t emit, const char *version, trial_outcome_t *out)
{
    align_spec_t spec = spec_of(emit);
    trial_cache_t *cache = NULL;
    aligner_memory_t memory = {NULL, get, put};
    trial_t t = {&cpu, pool, set, &spec, rows, version != NULL ? &memory : NULL};
    status_t st;

    if (version != NULL)
        assert_int_equal(trial_cache_create(version, &cache), ST_OK);
    memory.ctx = cache;
    st = trial_run(&t, out);
    trial_cache_destroy(cache);
    return st;
}

static void the_slow_row_is_avoided_though_it_stands_first(void **state)
{
    seqset_t *set = set_of(60, 100);
    trial_outcome_t out;

    (void)state;
    assert_int_equal(try(slow_and_quick, set, EMIT_IDENTITY, NULL, &out), ST_OK);
    assert_ptr_equal(out.best[TRIAL_SHORT], &quick);
    assert_true(out.cells_per_s[TRIAL_SHORT] > 0);
    assert_null(out.best[TRIAL_16S]); /* no such pairs */
    assert_null(out.best[TRIAL_LONG]);
    seqset_destroy(set);
}

static void a_wrong_row_is_an_error(void **state)
{
    static const aligner_backend_t *const last[] = {&quick, &wrong, NULL};
    static const aligner_backend_t *const alone[] = {&wrong, NULL};
    seqset_t *set = set_of(60, 100);
    trial_outcome_t out;

    (void)state;
    for (int emit = EMIT_SCORE; emit <= EMIT_IDENTITY; emit++) {
        assert_int_equal(try(last, set, (align_emit_t)emit, "1", &out), ST_EDEVICE);
        assert_int_equal(try(alone, set, (align_emit_t)emit, "1", &out), ST_EDEVICE);
    }
    seqset_destroy(set);
}

static void rows_that_differ_where_the_reference_is_not_asked_are_an_error(void **state)
{
    static const aligner_backend_t *const rows[] = {&quick, &late, NULL};
    seqset_t *set = set_of(60, 100);
    trial_outcome_t out;

    (void)state;
    assert_int_equal(try(rows, set, EMIT_IDENTITY, NULL, &out), ST_EDEVICE);
    seqset_destroy(set);
}

static void a_row_that_takes_no_typical_pair_is_not_tried(void **state)
{
    static const aligner_backend_t *const rows[] = {&narrow, &quick, NULL};
    seqset_t *set = set_of(150, 200);
    trial_outcome_t out;

    (void)state;
    assert_int_equal(try(rows, set, EMIT_SCORE, NULL, &out), ST_OK);
    assert_ptr_equal(out.best[TRIAL_SHORT], &quick);
    seqset_destroy(set);
}

static void pairs_too_long_for_a_moment_leave_it_to_the_order(void **state)
{
    seqset_t *set = set_of(9000, 9100);
    trial_outcome_t out;

    (void)state;
    assert_int_equal(try(slow_and_quick, set, EMIT_SCORE, NULL, &out), ST_OK);
    assert_null(out.best[TRIAL_LONG]);
    assert_int_equal(n_calls, 0);
    seqset_destroy(set);
}

static void a_known_answer_saves_the_trial(void **state)
{
    seqset_t *set = set_of(60, 100);
    trial_outcome_t first, again;
    int n;

    (void)state;
    assert_int_equal(try(slow_and_quick, set, EMIT_SCORE, "1", &first), ST_OK);
    n = n_calls;
    assert_true(n > 0);
    assert_int_equal(try(slow_and_quick, set, EMIT_SCORE, "1", &again), ST_OK);
    assert_int_equal(n_calls, n);
    assert_ptr_equal(again.best[TRIAL_SHORT], &quick);
    assert_float_equal(again.cells_per_s[TRIAL_SHORT] / first.cells_per_s[TRIAL_SHORT], 1,
                       1e-3);
    assert_int_equal(try(slow_and_quick, set, EMIT_IDENTITY, "1", &again), ST_OK);
    assert_true(n_calls > n); /* another question */
    n = n_calls;
    assert_int_equal(try(slow_and_quick, set, EMIT_SCORE, "2", &again), ST_OK);
    assert_true(n_calls > n); /* another build */
    seqset_destroy(set);
}

static void an_answer_that_names_no_row_of_these_is_not_taken(void **state)
{
    static const aligner_backend_t *const rows[] = {&quick, NULL};
    seqset_t *set = set_of(60, 100);
    trial_cache_t *cache;
    trial_entry_t entry = {"quick", 1e9};
    trial_outcome_t out;

    (void)state;
    assert_int_equal(trial_cache_create("1", &cache), ST_OK);
    assert_false(trial_cache_get(cache, "a key", &entry));
    trial_cache_put(cache, "a key", &entry);
    entry = (trial_entry_t){"none", 2e9};
    trial_cache_put(cache, "a key", &entry); /* in the place of the first */
    assert_true(trial_cache_get(cache, "a key", &entry));
    assert_string_equal(entry.kernel, "none");
    assert_false(trial_cache_get(cache, "a ke", &entry));
    assert_false(trial_cache_get(cache, "a key ", &entry));
    trial_cache_destroy(cache);
    assert_int_equal(try(rows, set, EMIT_SCORE, "1", &out), ST_OK);
    assert_ptr_equal(out.best[TRIAL_SHORT], &quick);
    seqset_destroy(set);
}

static void a_cache_that_cannot_be_written_is_no_error(void **state)
{
    static const char *const places[] = {"/proc/no/such", "/dev/null/x", ""};
    seqset_t *set = set_of(60, 100);
    trial_outcome_t out;

    (void)state;
    setenv("XDG_CACHE_HOME", "not/absolute", 1);
    setenv("HOME", "", 1);
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        setenv("RIBOGRID_CACHE", places[i], 1);
        for (int run = 0; run < 2; run++) {
            n_calls = 0;
            assert_int_equal(try(slow_and_quick, set, EMIT_SCORE, "1", &out), ST_OK);
            assert_ptr_equal(out.best[TRIAL_SHORT], &quick);
            assert_true(n_calls > 0);
        }
    }
    seqset_destroy(set);
}

static void the_users_directories_are_made(void **state)
{
    const char *const parts[] = {"/.cache/ribogrid/kernels", "/.cache/ribogrid",
                                 "/.cache"};
    trial_entry_t entry = {"quick", 1e9}, got;
    trial_cache_t *cache;
    char path[128];

    (void)state;
    unsetenv("RIBOGRID_CACHE");
    unsetenv("XDG_CACHE_HOME");
    setenv("HOME", dir, 1);
    assert_int_equal(trial_cache_create("1", &cache), ST_OK);
    trial_cache_put(cache, "key", &entry);
    assert_true(trial_cache_get(cache, "key", &got));
    trial_cache_destroy(cache);
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        snprintf(path, sizeof(path), "%s%s", dir, parts[i]);
        assert_int_equal(remove(path), 0); /* and nothing else lies there */
    }
}

static void write_garbage(const char *text, size_t len)
{
    char path[128];
    FILE *file;

    file_path(path);
    assert_non_null(file = fopen(path, "w"));
    assert_int_equal(fwrite(text, 1, len, file), len);
    fclose(file);
}

static void garbage_in_the_cache_is_ignored(void **state)
{
    static const char garbage[] = "\n\t\t\t\nx\0y\nzz\tkey\tquick\t1e9\n\tkey\tquick\t1\n"
                                  "0\tkey\tquick\tnan\n0\tkey\tquick\t-1\n0\tkey\tquick\t"
                                  "1e9x\n0\tkey\tquick\n0\tkey\t\t1\n0\tkey\tquick\t1e9";
    char *noise = calloc(1, 400000);
    rng_t rng = rng_seed(1);
    seqset_t *set = set_of(60, 100);
    trial_outcome_t out;

    (void)state;
    assert_non_null(noise);
    for (int i = 0; i < 400000; i++)
        noise[i] = (char)rng_below(&rng, 256);
    for (int k = 0; k < 3; k++) {
        if (k < 2)
            write_garbage(k == 0 ? garbage : noise, k == 0 ? sizeof(garbage) : 400000);
        else
            write_garbage("", 0);
        n_calls = 0;
        assert_int_equal(try(slow_and_quick, set, EMIT_SCORE, "1", &out), ST_OK);
        assert_true(n_calls > 0);
        n_calls = 0;
        assert_int_equal(try(slow_and_quick, set, EMIT_SCORE, "1", &out), ST_OK);
        assert_ptr_equal(out.best[TRIAL_SHORT], &quick);
        assert_int_equal(n_calls, 0); /* it was replaced */
    }
    free(noise);
    seqset_destroy(set);
}

static void the_cache_does_not_grow_without_end(void **state)
{
    trial_entry_t entry = {"quick", 1e9};
    trial_cache_t *cache;
    char key[16];

    (void)state;
    assert_int_equal(trial_cache_create("1", &cache), ST_OK);
    for (int i = 0; i < 230; i++) {
        snprintf(key, sizeof(key), "key %d", i);
        trial_cache_put(cache, key, &entry);
    }
    assert_true(trial_cache_get(cache, "key 229", &entry));
    assert_true(trial_cache_get(cache, "key 30", &entry));
    assert_false(trial_cache_get(cache, "key 29", &entry));
    trial_cache_destroy(cache);
}

/* Of lengths 512, 513 and 2049: one pair has at most 513 letters, two have more. */
static void cells_are_counted_by_the_longer_sequence(void **state)
{
    seqset_t *set;
    double cells[TRIAL_CLASSES];

    (void)state;
    assert_int_equal(random_set_spell("A512 C513 G2049", &set), ST_OK);
    trial_cells(set, cells);
    assert_float_equal(cells[TRIAL_SHORT], 0, 0);
    assert_float_equal(cells[TRIAL_16S], 512 * 513, 0);
    assert_float_equal(cells[TRIAL_LONG], (512 + 513) * 2049, 0);
    assert_int_equal(trial_class(512, 1), TRIAL_SHORT);
    assert_int_equal(trial_class(1, 513), TRIAL_16S);
    assert_int_equal(trial_class(2048, 2048), TRIAL_16S);
    assert_int_equal(trial_class(2049, 1), TRIAL_LONG);
    seqset_destroy(set);
}

static bool recall_scalar(void *ctx, const char *key, trial_entry_t *out)
{
    (void)ctx;
    (void)key;
    *out = (trial_entry_t){"scalar", 12345};
    return true;
}

static void keep_nothing(void *ctx, const char *key, const trial_entry_t *entry)
{
    (void)ctx;
    (void)key;
    (void)entry;
}

static void assert_choice(int64_t n, const char *row, double guess)
{
    const aligner_memory_t memory = {NULL, recall_scalar, keep_nothing};
    align_spec_t spec = spec_of(EMIT_SCORE);
    rng_t rng = rng_seed(1);
    random_set_opts_t opts = {n, 100, 1500, 30};
    pair_t pairs[] = {{0, 1}, {2, 3}, {4, 5}};
    pair_batch_t batch = {pairs, 3};
    pair_results_t got;
    aligner_t *a = NULL;
    seqset_t *set;

    assert_int_equal(random_set_create(&rng, &opts, &set), ST_OK);
    assert_int_equal(aligner_create_tried(&cpu, pool, "auto", set, &spec, &memory, &a),
                     ST_OK);
    assert_string_equal(aligner_name(a), row);
    if (guess > 0)
        assert_float_equal(aligner_guess(a), guess, 1e-6 * guess);
    assert_int_equal(aligner_submit(a, &batch), ST_OK);
    assert_int_equal(aligner_wait(a, &got), ST_OK);
    aligner_destroy(a);
    seqset_destroy(set);
}

static void an_aligner_goes_by_the_answer_unless_there_is_little_work(void **state)
{
    (void)state;
    assert_choice(2000, "scalar", 12345);
    if (cpu.simd != SIMD_NONE)
        assert_choice(20, "simd", 0);
}

#define TEST(name) cmocka_unit_test_setup(name, forget)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_slow_row_is_avoided_though_it_stands_first),
        TEST(a_wrong_row_is_an_error),
        TEST(rows_that_differ_where_the_reference_is_not_asked_are_an_error),
        TEST(a_row_that_takes_no_typical_pair_is_not_tried),
        TEST(pairs_too_long_for_a_moment_leave_it_to_the_order),
        TEST(a_known_answer_saves_the_trial),
        TEST(an_answer_that_names_no_row_of_these_is_not_taken),
        TEST(a_cache_that_cannot_be_written_is_no_error),
        TEST(the_users_directories_are_made),
        TEST(garbage_in_the_cache_is_ignored),
        TEST(the_cache_does_not_grow_without_end),
        TEST(cells_are_counted_by_the_longer_sequence),
        TEST(an_aligner_goes_by_the_answer_unless_there_is_little_work),
    };

    return cmocka_run_group_tests(tests, make_ready, clean_up);
}
