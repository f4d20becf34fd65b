/*
 * test_aligner_table.c - the aligner with backend tables of its own: many backends, and
 * backends that support only part of what is defined.
 */
#include "tests/support/unit_test.h"
#include <stdio.h>

#include "io/base/clock.h"
#include "kernels/align/common/aligner_backend.h"
#include "kernels/align/engine/trial.h"
#include "tests/kernels/align/engine/aligner_case.h"
#include "tests/support/captured_log.h"

/* Backend k takes pairs of up to 10 (k + 1) bases. */
enum { N_FAKES = 24, STEP = 10 };

static int64_t n_given[N_FAKES]; /* pairs */

static status_t create(const align_context_t *context, void **state)
{
    return scalar_backend.create(context, state);
}

static status_t finish(void *state, pair_results_t *out)
{
    return scalar_backend.wait(state, out);
}

static void destroy(void *state)
{
    scalar_backend.destroy(state);
}

static bool fits(int k, const align_context_t *context, int64_t m, int64_t n)
{
    return scalar_backend.fits(context, m, n) && m <= STEP * (k + 1) &&
           n <= STEP * (k + 1);
}

static status_t give(int k, void *state, const pair_batch_t *batch)
{
    n_given[k] += batch->n;
    return scalar_backend.submit(state, batch);
}

#define ALL_FAKES(X) \
    X(0)             \
    X(1)             \
    X(2)             \
    X(3)             \
    X(4)             \
    X(5)             \
    X(6)             \
    X(7)             \
    X(8)             \
    X(9)             \
    X(10) X(11) X(12) X(13) X(14) X(15) X(16) X(17) X(18) X(19) X(20) X(21) X(22) X(23)

#define FUNCTIONS(k)                                                           \
    static bool fits_##k(const align_context_t *context, int64_t m, int64_t n) \
    {                                                                          \
        return fits(k, context, m, n);                                         \
    }                                                                          \
    static status_t give_##k(void *state, const pair_batch_t *batch)           \
    {                                                                          \
        return give(k, state, batch);                                          \
    }

#define BACKEND(k)                                                            \
    {.base = {.name = "made-up-backend-" #k, .kind = DEVICE_CPU, .rate = 1},  \
     .supports = {.alphabets = ALIGN_BIT(ALPHABET_DNA),                       \
                  .gaps = ALIGN_BIT(GAPS_LINEAR),                             \
                  .ends = ALIGN_BIT(ENDS_FREE) | ALIGN_BIT(ENDS_COUNT),       \
                  .scorings = ALIGN_BIT(SCORING_TWO_VALUED),                  \
                  .emits = ALIGN_BIT(EMIT_SCORE) | ALIGN_BIT(EMIT_IDENTITY) | \
                           ALIGN_BIT(EMIT_CIGAR)},                            \
     .fits = fits_##k,                                                        \
     .create = create,                                                        \
     .submit = give_##k,                                                      \
     .wait = finish,                                                          \
     .destroy = destroy},

ALL_FAKES(FUNCTIONS)

static const aligner_backend_t fakes[N_FAKES] = {ALL_FAKES(BACKEND)};
static const backend_t *rows[N_FAKES + 2]; /* scalar is the last one */
static const backend_table_t table = {.name = "align", .rows = rows};

static int fill_table(void **state)
{
    for (int k = 0; k < N_FAKES; k++)
        rows[k] = &fakes[k].base;
    rows[N_FAKES] = &scalar_backend.base;
    return make_pools(state);
}

/* One sequence of 5 bases, one of 15, .. and one of 245. */
static case_t stepped_case(const align_spec_t *spec)
{
    char text[512];
    int len = 0;
    case_t c;

    for (int k = 0; k <= N_FAKES; k++)
        len += snprintf(text + len, sizeof(text) - (size_t)len, "%sA%dCG2",
                        k > 0 ? " " : "", k * STEP + 2);
    c = spelled_case(text);
    know_results(&c, spec);
    return c;
}

static void a_batch_is_split_between_two_dozen_backends(void **state)
{
    device_t cpu = device_cpu();
    align_spec_t spec = spec_of(ENDS_FREE, 4, -5, -7);
    case_t c = stepped_case(&spec);

    (void)state;
    for (int emit = EMIT_SCORE; emit <= EMIT_CIGAR; emit++) {
        align_context_t context = {&cpu, pools[3], c.set, &spec, {0}};
        aligner_options_t options = {.kernel = "auto", .table = &table};
        pair_batch_t batch = {c.pairs, c.n};
        pair_results_t got;
        aligner_t *a = NULL;

        spec.emit = (align_emit_t)emit;
        memset(n_given, 0, sizeof(n_given));
        assert_int_equal(aligner_create(&context, &options, &a), ST_OK);
        run(a, &batch, &got);
        assert_slice(&c, &spec, 0, c.n, &got);
        assert_int_equal(n_given[0], 0); /* one sequence has up to 10 bases */
        for (int k = 1; k < N_FAKES; k++)
            assert_int_equal(n_given[k], 2 * k);
        aligner_destroy(a);
    }
    free_case(&c);
}

static void a_trial_takes_two_dozen_backends(void **state)
{
    device_t cpu = device_cpu();
    align_spec_t spec = spec_of(ENDS_FREE, 4, -5, -7);
    case_t c = spelled_case("A5 C5 G5 ACGTA");
    trial_t t = {{&cpu, pools[3], c.set, &spec, {0}}, &table, NULL, clock_now_s};
    trial_outcome_t out;

    (void)state;
    assert_int_equal(trial_run(&t, &out), ST_OK);
    free_case(&c);
}

static void an_unknown_kernel_of_a_long_table_is_a_usage_error(void **state)
{
    device_t cpu = device_cpu();
    align_spec_t spec = spec_of(ENDS_FREE, 4, -5, -7);
    case_t c = spelled_case("A C");
    align_context_t context = {&cpu, pools[1], c.set, &spec, {0}};
    aligner_options_t options = {.kernel = "made-up-backend", .table = &table};
    aligner_t *a = NULL;

    (void)state;
    assert_int_equal(aligner_create(&context, &options, &a), ST_EUSAGE);
    assert_null(a);
    free_case(&c);
}

/* The made-up backends know neither counted ends of the query alone nor matrices. */
static void a_backend_never_gets_what_it_does_not_declare(void **state)
{
    device_t cpu = device_cpu();
    score_matrix_t matrix = {.score = {{0}}};

    (void)state;
    for (int way = 0; way < 3; way++) {
        align_spec_t spec = spec_of(way == 1 ? ENDS_QUERY : ENDS_FREE, 4, -5, -7);
        case_t c = spelled_case("A5 C5 G5 ACGTA");
        align_context_t context = {&cpu, pools[1], c.set, &spec, {0}};
        aligner_options_t options = {.kernel = "auto", .trial = true, .table = &table};
        pair_batch_t batch = {c.pairs, c.n};
        pair_results_t got;
        aligner_t *a = NULL;
        int64_t n = 0;

        if (way == 2)
            align_scoring_set_matrix(&spec.scoring, &matrix, -7);
        memset(n_given, 0, sizeof(n_given));
        assert_int_equal(aligner_create(&context, &options, &a), ST_OK);
        run(a, &batch, &got);
        for (int k = 0; k < N_FAKES; k++)
            n += n_given[k];
        assert_int_equal(n > 0, way == 0);
        if (way > 0)
            assert_string_equal(aligner_name(a), "scalar");
        aligner_destroy(a);
        free_case(&c);
    }
}

/* The GPU has one kernel, which knows neither affine gaps nor counted ends of the query.
 */
static void what_no_kernel_of_a_gpu_declares_the_cpu_computes_and_says_so(void **state)
{
    device_t gpu = {.kind = DEVICE_CUDA, .name = "made-up GPU"};
    aligner_backend_t on_gpu = fakes[0];
    const backend_t *const rows_of_both[] = {&on_gpu.base, &scalar_backend.base, NULL};
    const backend_table_t both = {.name = "align", .rows = rows_of_both};
    align_spec_t spec = spec_of(ENDS_COUNT, 4, -5, -7);
    case_t c = spelled_case("A5 C5 G5 ACGTA");
    align_context_t context = {&gpu, pools[1], c.set, &spec, {0}};
    aligner_options_t options = {.kernel = "auto", .table = &both};
    pair_batch_t batch = {c.pairs, c.n};
    pair_results_t got;
    aligner_t *a = NULL;

    (void)state;
    on_gpu.base.kind = DEVICE_CUDA;
    align_scoring_set_gap(&spec.scoring, (align_gap_t){-9, -2});
    know_results(&c, &spec);
    capture_start();
    assert_int_equal(aligner_create(&context, &options, &a), ST_OK);
    capture_stop();
    assert_non_null(strstr(logged, "made-up GPU has no kernel for such alignments; the "
                                   "CPU computes them, with kernel scalar"));
    run(a, &batch, &got);
    assert_slice(&c, &spec, 0, c.n, &got);
    aligner_destroy(a);
    free_case(&c);
}

/* As rscan and ascan: one name requests both, and the specs decide which one works. */
static void the_name_of_a_family_requests_each_of_its_backends(void **state)
{
    device_t cpu = device_cpu();
    aligner_backend_t affine = scalar_backend;
    const backend_t *const rows_of_both[] = {&fakes[N_FAKES - 1].base, &affine.base,
                                             NULL};
    const backend_table_t both = {.name = "align", .rows = rows_of_both};
    case_t c = spelled_case("A5 C5 G5 ACGTA");

    (void)state;
    affine.base.name = "affine";
    affine.family = fakes[N_FAKES - 1].base.name;
    for (int k = 0; k < 2; k++) {
        align_spec_t spec = spec_of(ENDS_FREE, 4, -5, -7);
        align_context_t context = {&cpu, pools[1], c.set, &spec, {0}};
        aligner_options_t options = {.kernel = affine.family, .table = &both};
        aligner_t *a = NULL;

        if (k == 1)
            align_scoring_set_gap(&spec.scoring, (align_gap_t){-9, -2});
        assert_int_equal(aligner_create(&context, &options, &a), ST_OK);
        assert_string_equal(aligner_name(a), k == 1 ? affine.base.name : affine.family);
        aligner_destroy(a);
    }
    free_case(&c);
}

static void what_no_backend_declares_is_a_usage_error(void **state)
{
    device_t cpu = device_cpu();
    align_spec_t spec = spec_of(ENDS_FREE, 4, -5, -7);
    case_t c = spelled_case("A C");
    align_context_t context = {&cpu, pools[1], c.set, &spec, {0}};
    aligner_t *a = NULL;

    (void)state;
    spec.scoring.gaps = (align_gaps_t)(GAPS_AFFINE + 1);
    assert_int_equal(aligner_create(&context, &(aligner_options_t){.kernel = "auto"}, &a),
                     ST_EUSAGE);
    assert_null(a);
    free_case(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_batch_is_split_between_two_dozen_backends),
        cmocka_unit_test(a_trial_takes_two_dozen_backends),
        cmocka_unit_test(an_unknown_kernel_of_a_long_table_is_a_usage_error),
        cmocka_unit_test(a_backend_never_gets_what_it_does_not_declare),
        cmocka_unit_test(what_no_kernel_of_a_gpu_declares_the_cpu_computes_and_says_so),
        cmocka_unit_test(the_name_of_a_family_requests_each_of_its_backends),
        cmocka_unit_test(what_no_backend_declares_is_a_usage_error),
    };

    return cmocka_run_group_tests(tests, fill_table, destroy_pools);
}
