/*
 * test_trial.c - a trial avoids slow backends and refuses wrong ones.
 */
#include "tests/support/unit_test.h"

#include "tests/kernels/align/engine/trial_backends.h"

static bool fits_up_to_100(const align_context_t *context, int64_t m, int64_t n)
{
    return scalar_backend.fits(context, m, n) && m <= 100 && n <= 100;
}

static status_t wait_and_spoil_score(void *state, pair_results_t *out)
{
    status_t st = worker()->wait(state, out);

    out->score[1]++;
    return st;
}

/* Fast, and wrong on a pair that the reference does not check. */
static status_t wait_and_spoil_late(void *state, pair_results_t *out)
{
    static int n;
    status_t st = worker()->wait(state, out);

    if (++n % 2 == 0)
        out->columns[40]++;
    return st;
}

static const aligner_backend_t wrong =
    BACKEND("wrong", 3e9, fits_any, wait_and_spoil_score);
static const aligner_backend_t scalar_like =
    BACKEND("scalar_like", 1e7, fits_any, wait_and_sleep);
static const aligner_backend_t late = BACKEND("late", 3e9, fits_any, wait_and_spoil_late);
static const aligner_backend_t narrow =
    BACKEND("narrow", 1e9, fits_up_to_100, wait_at_once);

/* Backends of a GPU, as far as a trial can see. */
#define GPU_BACKEND(its_name, rate, its_wait) \
    BACKEND_ON(DEVICE_CUDA, its_name, rate, fits_any, its_wait)

static const aligner_backend_t gpu_quick = GPU_BACKEND("gpu_quick", 1e9, wait_at_once);
static const aligner_backend_t gpu_hopeless =
    GPU_BACKEND("gpu_hopeless", 1e5, wait_and_sleep);

static void a_slow_backend_is_avoided_although_it_comes_first(void **state)
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

static void wrong_results_are_an_error(void **state)
{
    static const backend_t *const last[] = {&quick.base, &wrong.base, NULL};
    static const backend_t *const alone[] = {&wrong.base, NULL};
    seqset_t *set = set_of(60, 100);
    trial_outcome_t out;

    (void)state;
    for (int emit = EMIT_SCORE; emit <= EMIT_IDENTITY; emit++) {
        assert_int_equal(try(last, set, (align_emit_t)emit, "1", &out), ST_EDEVICE);
        assert_int_equal(try(alone, set, (align_emit_t)emit, "1", &out), ST_EDEVICE);
    }
    seqset_destroy(set);
}

static void backends_that_differ_on_an_unchecked_pair_are_an_error(void **state)
{
    static const backend_t *const table[] = {&quick.base, &late.base, NULL};
    seqset_t *set = set_of(60, 100);
    trial_outcome_t out;

    (void)state;
    assert_int_equal(try(table, set, EMIT_IDENTITY, NULL, &out), ST_EDEVICE);
    seqset_destroy(set);
}

static void a_backend_that_takes_no_typical_pair_is_not_tried(void **state)
{
    static const backend_t *const table[] = {&narrow.base, &quick.base, NULL};
    seqset_t *set = set_of(150, 200);
    trial_outcome_t out;

    (void)state;
    assert_int_equal(try(table, set, EMIT_SCORE, NULL, &out), ST_OK);
    assert_ptr_equal(out.best[TRIAL_SHORT], &quick);
    seqset_destroy(set);
}

static void without_a_trial_of_long_pairs_the_tables_order_decides(void **state)
{
    seqset_t *set = set_of(9000, 9100);
    trial_outcome_t out;

    (void)state;
    assert_int_equal(try(slow_and_quick, set, EMIT_SCORE, NULL, &out), ST_OK);
    assert_null(out.best[TRIAL_LONG]);
    assert_int_equal(n_calls, 0);
    seqset_destroy(set);
}

/* Lengths 512, 513 and 2049: one pair has at most 513 bases, two have more. */
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

/* Pairs have about 6400 cells: 6250 of them take 0.04 s at 10^9 cells per second. */
static void a_gpu_starts_with_enough_pairs_to_be_busy(void **state)
{
    static const backend_t *const table[] = {&gpu_quick.base, NULL};
    device_t gpu = {.kind = DEVICE_CUDA, .name = "a GPU"};
    seqset_t *set = set_of(80, 80);
    trial_outcome_t out;

    (void)state;
    assert_int_equal(try_on(&gpu, table, set, EMIT_SCORE, NULL, &out), ST_OK);
    assert_ptr_equal(out.best[TRIAL_SHORT], &gpu_quick);
    assert_in_range(n_calls, 2, 8); /* the check, and few more */
    assert_in_range(max_pairs, 6250, 1 << 18);
    seqset_destroy(set);
}

static void a_hopeless_backend_of_a_gpu_is_only_checked(void **state)
{
    static const backend_t *const table[] = {&gpu_quick.base, &gpu_hopeless.base, NULL};
    device_t gpu = {.kind = DEVICE_CUDA, .name = "a GPU"};
    seqset_t *set = set_of(80, 80);
    trial_outcome_t out;

    (void)state;
    n_sleeps = 0;
    assert_int_equal(try_on(&gpu, table, set, EMIT_SCORE, NULL, &out), ST_OK);
    assert_ptr_equal(out.best[TRIAL_SHORT], &gpu_quick);
    assert_int_equal(n_sleeps, 1);
    seqset_destroy(set);
}

/* Change every answer in the cache. @return whether there is any */
static bool answer(const char *kernel, const char *cells_per_s)
{
    char path[128], build[32], key[512], rest[128], lines[4096];
    int len = 0;
    FILE *file;

    file_path(path);
    if ((file = fopen(path, "r")) == NULL)
        return false;
    while (fscanf(file, "%31[^\t]\t%511[^\t]\t%127[^\n]\n", build, key, rest) == 3)
        len += snprintf(lines + len, sizeof(lines) - (size_t)len, "%s\t%s\t%s\t%s\n",
                        build, key, kernel, cells_per_s);
    fclose(file);
    assert_true(len > 0);
    assert_non_null(file = fopen(path, "w"));
    assert_int_equal(fwrite(lines, 1, (size_t)len, file), len);
    fclose(file);
    return true;
}

/* Create an aligner, and use it.
 * @param fraction, cache  options of the aligner
 * @param name             of its first backend; NULL: any
 * @return its estimated rate */
static double choose(int64_t n, double fraction, const trial_cache_t *cache,
                     const char *name)
{
    align_spec_t spec = spec_of(EMIT_SCORE);
    aligner_options_t options = {.kernel = "auto",
                                 .trial = true,
                                 .fraction = fraction,
                                 .cache = cache};
    align_context_t context = {&cpu, pool, NULL, &spec, {0}};
    rng_t rng = rng_seed(1);
    random_set_opts_t opts = {n, 100, 120, 30}; /* short, so that a trial is quick */
    pair_t pairs[] = {{0, 1}, {2, 3}, {4, 5}};
    pair_batch_t batch = {pairs, 3};
    pair_results_t got;
    aligner_t *a = NULL;
    seqset_t *set;
    double guess;

    assert_int_equal(random_set_create(&rng, &opts, &set), ST_OK);
    context.set = set;
    assert_int_equal(aligner_create(&context, &options, &a), ST_OK);
    if (name != NULL)
        assert_string_equal(aligner_name(a), name);
    guess = aligner_guess(a);
    assert_int_equal(aligner_submit(a, &batch), ST_OK);
    assert_int_equal(aligner_wait(a, &got), ST_OK);
    aligner_destroy(a);
    seqset_destroy(set);
    return guess;
}

static void an_aligner_follows_the_trial_unless_there_is_little_work(void **state)
{
    const char *kernel = cpu.simd != SIMD_NONE ? "simd" : "scalar";
    trial_cache_t *cache;

    (void)state;
    assert_int_equal(trial_cache_create("1", &cache), ST_OK);
    /* on a busy machine a trial may end without an answer */
    for (int tries = 0; tries < 50 && !answer(kernel, "123450000"); tries++)
        choose(8000, 0, cache, NULL);
    assert_float_equal(choose(8000, 0, cache, kernel), 123450000, 1);
    assert_float_not_equal(choose(8000, 1e-9, cache, NULL), 123450000, 1);
    if (cpu.simd != SIMD_NONE)
        choose(20, 0, cache, "simd");
    trial_cache_destroy(cache);
}

static void a_hopeless_answer_in_the_cache_is_tried_again(void **state)
{
    seqset_t *set = set_of(60, 100);
    static const backend_t *const table[] = {&quick.base, &scalar_like.base, NULL};
    static const struct {
        const char *kernel, *cells_per_s;
        bool is_obeyed;
    } lines[] = {
        {"quick", "1.5e9", true},      {"quick", "2e3", false}, {"quick", "2e300", false},
        {"scalar_like", "9e9", false}, {"none", "1e9", false},
    };
    trial_outcome_t out;

    (void)state;
    assert_int_equal(try(table, set, EMIT_SCORE, "1", &out), ST_OK);
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        assert_true(answer(lines[i].kernel, lines[i].cells_per_s));
        n_calls = 0;
        assert_int_equal(try(table, set, EMIT_SCORE, "1", &out), ST_OK);
        assert_int_equal(n_calls == 0, lines[i].is_obeyed);
        assert_ptr_equal(out.best[TRIAL_SHORT], &quick);
    }
    seqset_destroy(set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_slow_backend_is_avoided_although_it_comes_first),
        TEST(wrong_results_are_an_error),
        TEST(backends_that_differ_on_an_unchecked_pair_are_an_error),
        TEST(a_backend_that_takes_no_typical_pair_is_not_tried),
        TEST(without_a_trial_of_long_pairs_the_tables_order_decides),
        TEST(cells_are_counted_by_the_longer_sequence),
        TEST(a_gpu_starts_with_enough_pairs_to_be_busy),
        TEST(a_hopeless_backend_of_a_gpu_is_only_checked),
        TEST(an_aligner_follows_the_trial_unless_there_is_little_work),
        TEST(a_hopeless_answer_in_the_cache_is_tried_again),
    };

    return cmocka_run_group_tests(tests, make_ready, clean_up);
}
