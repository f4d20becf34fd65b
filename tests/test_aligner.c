/*
 * test_aligner.c - every CPU row equals the scalar one, at the limits where rows and lane
 * widths change too; and what the aligner does around its rows.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kernels/align/nw_key.h"
#include "kernels/align/simd.h"
#include "tests/random_set.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A set, pairs of it, and what the scalar row makes of them. */
typedef struct {
    seqset_t *set;
    pair_t *pairs;
    int64_t n;
    int32_t *score, *matches, *columns; /* [n] */
} case_t;

static pool_t *pools[4]; /* [n_threads] 1 and 3 */

static int make_pools(void **state)
{
    (void)state;
    return pool_create(1, &pools[1]) == ST_OK && pool_create(3, &pools[3]) == ST_OK ? 0
                                                                                    : -1;
}

static int destroy_pools(void **state)
{
    (void)state;
    pool_destroy(pools[1]);
    pool_destroy(pools[3]);
    return 0;
}

static case_t random_case(rng_t *rng, const random_set_opts_t *opts, int64_t n)
{
    case_t c = {.n = n, .pairs = calloc((size_t)n, sizeof(pair_t))};

    assert_non_null(c.pairs);
    assert_int_equal(random_set_create(rng, opts, &c.set), ST_OK);
    random_set_pairs(rng, c.set, n, c.pairs);
    return c;
}

/* A case of a set as random_set_spell has it.  Its pairs are all (i, j), i before j, and
 * each the other way round. */
static case_t spelled_case(const char *text)
{
    case_t c = {.n = 0};

    assert_int_equal(random_set_spell(text, &c.set), ST_OK);
    c.pairs = calloc((size_t)(c.set->n * c.set->n), sizeof(pair_t));
    assert_non_null(c.pairs);
    for (int32_t j = 1; j < c.set->n; j++)
        for (int32_t i = 0; i < j; i++) {
            c.pairs[c.n++] = (pair_t){i, j};
            c.pairs[c.n++] = (pair_t){j, i};
        }
    return c;
}

static void free_case(case_t *c)
{
    seqset_destroy(c->set);
    free(c->pairs);
    free(c->score);
    free(c->matches);
    free(c->columns);
}

static aligner_t *aligner_of(const device_t *device, pool_t *pool, const char *kernel,
                             const case_t *c, const align_spec_t *spec)
{
    aligner_t *a = NULL;

    assert_int_equal(aligner_create(device, pool, kernel, c->set, spec, &a), ST_OK);
    return a;
}

static void run(aligner_t *a, const pair_batch_t *batch, pair_results_t *out)
{
    assert_int_equal(aligner_submit(a, batch), ST_OK);
    assert_int_equal(aligner_wait(a, out), ST_OK);
}

static int32_t *copy_of(const int32_t *from, int64_t n)
{
    int32_t *to = malloc((size_t)n * sizeof(*to));

    assert_non_null(to);
    memcpy(to, from, (size_t)n * sizeof(*to));
    return to;
}

static void know_results(case_t *c, const align_spec_t *spec)
{
    align_spec_t identity = *spec;
    device_t cpu = device_cpu();
    pair_batch_t batch = {c->pairs, c->n};
    pair_results_t results;
    aligner_t *a;

    identity.emit = EMIT_IDENTITY;
    a = aligner_of(&cpu, pools[3], "scalar", c, &identity);
    assert_string_equal(aligner_name(a), "scalar");
    run(a, &batch, &results);
    c->score = copy_of(results.score, c->n);
    c->matches = copy_of(results.matches, c->n);
    c->columns = copy_of(results.columns, c->n);
    aligner_destroy(a);
}

static void assert_slice(const case_t *c, const align_spec_t *spec, int64_t first,
                         int64_t n, const pair_results_t *got)
{
    for (int64_t i = 0; i < n; i++) {
        const pair_t *p = &c->pairs[first + i];
        int32_t matches = got->matches != NULL ? got->matches[i] : c->matches[first + i];
        int32_t columns = got->columns != NULL ? got->columns[i] : c->columns[first + i];
        char text[RANDOM_SET_TEXT_BYTES];

        if (got->score[i] == c->score[first + i] && matches == c->matches[first + i] &&
            columns == c->columns[first + i])
            continue;
        random_set_describe(spec, text);
        fail_msg("%s: pair %d,%d of %d and %d letters: %d %d %d, not %d %d %d", text,
                 p->query, p->target, (int)seqset_len(c->set, p->query),
                 (int)seqset_len(c->set, p->target), got->score[i], matches, columns,
                 c->score[first + i], c->matches[first + i], c->columns[first + i]);
    }
}

/* Batches of every size through one aligner: a few, none, all, one, a third. */
static void assert_equals_scalar(const case_t *c, const align_spec_t *spec,
                                 simd_level_t level, pool_t *pool, const char *row)
{
    const int64_t n_of[] = {c->n / 10, 0, c->n, 1, c->n / 3};
    device_t cpu = device_cpu();
    aligner_t *a;

    cpu.simd = level;
    a = aligner_of(&cpu, pool, "auto", c, spec);
    assert_string_equal(aligner_name(a), row);
    for (size_t k = 0; k < sizeof(n_of) / sizeof(n_of[0]); k++) {
        int64_t first = c->n - n_of[k];
        pair_batch_t batch = {c->pairs + first, n_of[k]};
        pair_results_t got;

        run(a, &batch, &got);
        assert_slice(c, spec, first, n_of[k], &got);
    }
    aligner_destroy(a);
}

/* At every level that the machine has, for the score alone and for the identity. */
static void assert_levels_equal_scalar(case_t *c, const align_spec_t *spec, pool_t *pool,
                                       const char *row)
{
    align_spec_t s = *spec;

    know_results(c, spec);
    for (int level = SIMD_AVX2; level <= (int)device_cpu().simd; level++)
        for (int emit = EMIT_SCORE; emit <= EMIT_IDENTITY; emit++) {
            s.emit = (align_emit_t)emit;
            assert_equals_scalar(c, &s, (simd_level_t)level, pool, row);
        }
    free_case(c);
}

static void assert_spelled(const char *text, const align_spec_t *spec)
{
    case_t c = spelled_case(text);

    assert_levels_equal_scalar(&c, spec, pools[3], "simd");
}

static void skip_without_simd(void)
{
    for (int level = SIMD_AVX512; level > (int)device_cpu().simd; level--)
        print_message("this machine has no %s: left out\n",
                      device_simd_name((simd_level_t)level));
    if (device_cpu().simd == SIMD_NONE)
        skip();
}

static void try_random_pairs(const random_set_opts_t *opts, int64_t n_pairs)
{
    rng_t rng = rng_seed(1);

    skip_without_simd();
    for (int k = 0; k < RANDOM_SET_SPECS; k++) {
        align_spec_t spec = random_set_spec(k);
        case_t c = random_case(&rng, opts, n_pairs);

        assert_levels_equal_scalar(&c, &spec, pools[k / 6 % 2 == 0 ? 1 : 3], "simd");
    }
}

static const random_set_opts_t tiny = {160, 1, 12, 50};
static const random_set_opts_t medium = {160, 1, 400, 30};
static const random_set_opts_t large = {24, 1, 3000, 30};

static void simd_equals_scalar_on_tiny_pairs(void **state)
{
    (void)state;
    try_random_pairs(&tiny, 3000);
}

static void simd_equals_scalar_on_medium_pairs(void **state)
{
    (void)state;
    try_random_pairs(&medium, 500);
}

static void simd_equals_scalar_on_large_pairs(void **state)
{
    (void)state;
    try_random_pairs(&large, 8);
}

static align_spec_t spec_of(align_ends_t ends, int32_t match, int32_t mismatch,
                            int32_t gap)
{
    align_spec_t spec = {.ends = ends, .min_overlap = {0, 1}};

    align_scoring_set(&spec.scoring, AMBIGUITY_N_MISMATCH, match, mismatch, gap);
    return spec;
}

static void an_empty_batch_may_be_the_first(void **state)
{
    case_t c = spelled_case("A C");
    align_spec_t spec = spec_of(ENDS_FREE, 4, -5, -7);
    pair_batch_t batch = {c.pairs, 0};
    device_t cpu = device_cpu();
    aligner_t *a = aligner_of(&cpu, pools[3], "auto", &c, &spec);
    pair_results_t got;

    (void)state;
    run(a, &batch, &got);
    aligner_destroy(a);
    free_case(&c);
}

/* The last cell is 5455 * 2 gaps of -3 = -32730; a losing step from it, -33 more, is just
 * within 16 bits.  With one letter more each it is not. */
static void low_scores_change_from_16_to_32_bits(void **state)
{
    align_spec_t spec = spec_of(ENDS_COUNT, 2, -30, -3);

    (void)state;
    assert_int_equal(align_range(&spec, 5455, 5455).least, -32763);
    assert_int_equal(align_range(&spec, 5456, 5456).least, -32769);
    skip_without_simd();
    assert_spelled("A5455 C5455", &spec);
    assert_spelled("A5456 C5456", &spec);
}

/* 30 matches of 1000 and one beyond are 31000; 31 are 32000, 32 are 33000: over. */
static void high_scores_change_from_16_to_32_bits(void **state)
{
    (void)state;
    skip_without_simd();
    for (int ends = ENDS_FREE; ends <= ENDS_COUNT; ends++) {
        align_spec_t spec = spec_of((align_ends_t)ends, 1000, -1, -1);

        assert_int_equal(align_range(&spec, 31, 31).most, 32000);
        assert_int_equal(align_range(&spec, 32, 32).most, 33000);
        assert_spelled("A30 A31 A31", &spec);
        assert_spelled("A31 A32 A33", &spec); /* the longest decides for its lanes */
    }
}

static void default_scores_change_from_16_to_32_bits(void **state)
{
    (void)state;
    skip_without_simd();
    for (int ends = ENDS_FREE; ends <= ENDS_COUNT; ends++) {
        align_spec_t spec = spec_of((align_ends_t)ends, 4, -5, -7);

        assert_int_equal(align_range(&spec, 2339, 2339).least, -32760);
        assert_int_equal(align_range(&spec, 2340, 2340).least, -32774);
        assert_spelled("A2339 A2339 C", &spec);
        assert_spelled("A2340 A2340 C", &spec);
    }
}

/* See test_nw_key.c: a pair with 32766 letters still has keys of 63 bits. */
static void pairs_whose_keys_do_not_fit_go_to_scalar(void **state)
{
    align_spec_t spec = spec_of(ENDS_COUNT, 4, -5, -20000);
    device_t cpu = device_cpu();

    (void)state;
    skip_without_simd();
    spec.emit = EMIT_IDENTITY;
    assert_true(simd_backend.takes(&cpu, &spec, 3, 32766));
    assert_false(simd_backend.takes(&cpu, &spec, 3, 32767));
    assert_false(simd_backend.takes(&cpu, &spec, 32767, 3));
    for (int ends = ENDS_FREE; ends <= ENDS_COUNT; ends++) {
        case_t c = spelled_case("A3 A90 A32766 C32767");

        spec.ends = (align_ends_t)ends;
        c.n -= 2; /* the two longest with each other would take long */
        assert_levels_equal_scalar(&c, &spec, pools[3], "simd");
    }
}

static void a_matrix_goes_to_scalar(void **state)
{
    rng_t rng = rng_seed(3);
    score_matrix_t matrix;

    (void)state;
    random_set_matrix(&rng, &matrix);
    for (int ends = ENDS_FREE; ends <= ENDS_COUNT; ends++) {
        align_spec_t spec = {.ends = (align_ends_t)ends, .min_overlap = {1, 2}};
        case_t c = random_case(&rng, &tiny, 500);

        align_scoring_set_matrix(&spec.scoring, &matrix, -9);
        assert_levels_equal_scalar(&c, &spec, pools[3], "scalar");
    }
}

static pair_results_t results_of(const case_t *c, const align_spec_t *spec)
{
    static int32_t numbers[3];
    device_t cpu = device_cpu();
    pair_batch_t batch = {c->pairs, c->n};
    aligner_t *a = aligner_of(&cpu, pools[1], "auto", c, spec);
    pair_results_t got;

    run(a, &batch, &got);
    numbers[0] = got.score[0];
    numbers[1] = got.matches[0];
    numbers[2] = got.columns[0];
    aligner_destroy(a);
    return (pair_results_t){numbers, numbers + 1, numbers + 2};
}

/* A with A 5, A with C -4: three columns of 5 and one of -4. */
static void a_matrix_gives_its_own_scores(void **state)
{
    case_t c = spelled_case("ACAA AAAA");
    align_spec_t spec = {.emit = EMIT_IDENTITY, .ends = ENDS_COUNT};
    score_matrix_t matrix;
    pair_results_t got;

    (void)state;
    memset(&matrix, 0, sizeof(matrix));
    for (int x = 1; x < ALPHABET_SIZE; x++)
        for (int y = 1; y < ALPHABET_SIZE; y++)
            matrix.score[x][y] = x == y ? 5 : -4;
    align_scoring_set_matrix(&spec.scoring, &matrix, -8);
    got = results_of(&c, &spec);
    assert_int_equal(got.score[0], 3 * 5 - 4);
    assert_int_equal(got.matches[0], 3);
    assert_int_equal(got.columns[0], 4);
    free_case(&c);
}

static void the_shortest_and_the_long_share_a_batch(void **state)
{
    (void)state;
    skip_without_simd();
    for (int ends = ENDS_FREE; ends <= ENDS_COUNT; ends++) {
        align_spec_t spec = spec_of((align_ends_t)ends, 4, -5, -7);

        assert_spelled("A C A2 A300 A20000", &spec);
    }
}

static void an_unknown_kernel_is_a_usage_error(void **state)
{
    case_t c = spelled_case("A C");
    align_spec_t spec = spec_of(ENDS_FREE, 4, -5, -7);
    device_t cpu = device_cpu();
    aligner_t *a = NULL;

    (void)state;
    assert_int_equal(aligner_create(&cpu, pools[1], "fastest", c.set, &spec, &a),
                     ST_EUSAGE);
    assert_int_equal(aligner_create(&cpu, pools[1], "dscan", c.set, &spec, &a),
                     ST_EUSAGE);
    assert_null(a);
    free_case(&c);
}

static void an_overlap_of_the_least_part_is_kept_and_a_shorter_one_dropped(void **state)
{
    case_t four = spelled_case("AAAACCCC CCCCGGGG");
    case_t three = spelled_case("AAAAACCC CCCGGGGG");
    align_spec_t spec = spec_of(ENDS_FREE, 4, -5, -7);
    pair_results_t got;

    (void)state;
    spec.emit = EMIT_IDENTITY;
    spec.min_overlap = (align_part_t){1, 2};
    got = results_of(&four, &spec);
    assert_int_equal(got.score[0], 4 * 4);
    assert_int_equal(got.matches[0], 4);
    assert_int_equal(got.columns[0], 4);
    got = results_of(&three, &spec);
    assert_int_equal(got.score[0], 3 * 4);
    assert_int_equal(got.matches[0], 0);
    assert_int_equal(got.columns[0], 0);
    spec.min_overlap = (align_part_t){3, 8};
    assert_int_equal(results_of(&three, &spec).columns[0], 3);
    free_case(&four);
    free_case(&three);
}

static void counted_ends_drop_nothing(void **state)
{
    case_t c = spelled_case("AAAACCCC A");
    align_spec_t spec = spec_of(ENDS_COUNT, 4, -5, -7);
    pair_results_t got;

    (void)state;
    spec.emit = EMIT_IDENTITY;
    spec.min_overlap = (align_part_t){1, 1};
    got = results_of(&c, &spec);
    assert_int_equal(got.score[0], 4 - 7 * 7);
    assert_int_equal(got.matches[0], 1);
    assert_int_equal(got.columns[0], 8);
    free_case(&c);
}

static void *cancel_soon(void *flag)
{
    usleep(100000);
    __atomic_store_n((int *)flag, 1, __ATOMIC_RELAXED);
    return NULL;
}

/* 2000 pairs of 30000 x 30000 letters would take ten minutes and more. */
static void wait_returns_once_cancelled(void **state)
{
    case_t c = spelled_case("A30000 C30000");
    const char *const rows[] = {"auto", "scalar"};
    align_spec_t spec = spec_of(ENDS_FREE, 4, -5, -7);
    device_t cpu = device_cpu();
    pair_t *pairs = calloc(2000, sizeof(*pairs));
    pair_batch_t batch = {pairs, 2000};
    int flag = 0;

    (void)state;
    assert_non_null(pairs);
    for (int64_t i = 0; i < batch.n; i++)
        pairs[i] = c.pairs[i % 2];
    spec.cancel = &flag;
    for (int r = 0; r < 2; r++) {
        aligner_t *a = aligner_of(&cpu, pools[3], rows[r], &c, &spec);
        pair_results_t got;
        pthread_t thread;

        flag = 0;
        assert_int_equal(pthread_create(&thread, NULL, cancel_soon, &flag), 0);
        run(a, &batch, &got);
        assert_int_equal(pthread_join(thread, NULL), 0);
        aligner_destroy(a);
    }
    free(pairs);
    free_case(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(simd_equals_scalar_on_tiny_pairs),
        cmocka_unit_test(simd_equals_scalar_on_medium_pairs),
        cmocka_unit_test(simd_equals_scalar_on_large_pairs),
        cmocka_unit_test(an_empty_batch_may_be_the_first),
        cmocka_unit_test(low_scores_change_from_16_to_32_bits),
        cmocka_unit_test(high_scores_change_from_16_to_32_bits),
        cmocka_unit_test(default_scores_change_from_16_to_32_bits),
        cmocka_unit_test(pairs_whose_keys_do_not_fit_go_to_scalar),
        cmocka_unit_test(a_matrix_goes_to_scalar),
        cmocka_unit_test(a_matrix_gives_its_own_scores),
        cmocka_unit_test(the_shortest_and_the_long_share_a_batch),
        cmocka_unit_test(an_unknown_kernel_is_a_usage_error),
        cmocka_unit_test(an_overlap_of_the_least_part_is_kept_and_a_shorter_one_dropped),
        cmocka_unit_test(counted_ends_drop_nothing),
        cmocka_unit_test(wait_returns_once_cancelled),
    };

    return cmocka_run_group_tests(tests, make_pools, destroy_pools);
}
