/*
 * test_aligner.c - what the aligner adds to its backends.
 */
#include "tests/support/unit_test.h"

#include "io/seq/cigar.h"
#include "io/seq/matrix_file.h"
#include "tests/kernels/align/engine/aligner_case.h"

#include <pthread.h>
#include <unistd.h>

/* With one backend for all pairs, and with several. */
static void an_empty_batch_may_be_the_first(void **state)
{
    static const char *const texts[] = {"A C", "A A20000"};

    (void)state;
    for (int k = 0; k < 2; k++) {
        case_t c = spelled_case(texts[k]);
        align_spec_t spec = spec_of(ENDS_FREE, 4, -5, -7);
        pair_batch_t batch = {c.pairs, 0};
        device_t cpu = device_cpu();
        aligner_t *a;
        pair_results_t got;

        spec.emit = EMIT_CIGAR;
        a = aligner_of(&cpu, pools[3], "auto", &c, &spec);
        run(a, &batch, &got);
        assert_int_equal(got.cigar_start[0], 0);
        aligner_destroy(a);
        free_case(&c);
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
    return (
        pair_results_t){.score = numbers, .matches = numbers + 1, .columns = numbers + 2};
}

/* A and A score 5, A and C -4: three columns of 5 and one of -4. */
static void a_matrix_gives_its_own_scores(void **state)
{
    case_t c = spelled_case("ACAA AAAA");
    align_spec_t spec = {.emit = EMIT_IDENTITY, .ends = ENDS_COUNT};
    score_matrix_t matrix;
    pair_results_t got;

    (void)state;
    memset(&matrix, 0, sizeof(matrix));
    for (int x = 1; x < DNA_SIZE; x++)
        for (int y = 1; y < DNA_SIZE; y++)
            matrix.score[x][y] = x == y ? 5 : -4;
    align_scoring_set_matrix(&spec.scoring, &matrix, -8);
    got = results_of(&c, &spec);
    assert_int_equal(got.score[0], 3 * 5 - 4);
    assert_int_equal(got.matches[0], 3);
    assert_int_equal(got.columns[0], 4);
    free_case(&c);
}

/* BLOSUM62, gaps 11 and 1.  MKV-WAL
 *                           MRVHWAL: 5 + 2 + 4 - 11 + 11 + 4 + 4 = 19. */
static void proteins_are_scored_by_their_matrix(void **state)
{
    const char *text[] = {"MKVWAL", "MRVHWAL"};
    align_spec_t spec = {.emit = EMIT_IDENTITY, .ends = ENDS_COUNT};
    seqset_builder_t builder = {.alphabet = ALPHABET_PROTEIN};
    pair_t pair = {0, 1};
    case_t c = {.pairs = &pair, .n = 1};
    device_t cpu = device_cpu();
    score_matrix_t matrix;
    pair_results_t got;
    aligner_t *a;

    (void)state;
    for (int i = 0; i < 2; i++) {
        uint8_t codes[8];

        for (size_t k = 0; k < strlen(text[i]); k++)
            codes[k] = alphabet_code(ALPHABET_PROTEIN, (unsigned char)text[i][k]);
        assert_int_equal(seqset_builder_add(&builder, "p", 1, codes, strlen(text[i])),
                         ST_OK);
    }
    assert_int_equal(seqset_builder_finish(&builder, &c.set), ST_OK);
    assert_true(named_matrix_find("BLOSUM62", &matrix));
    align_scoring_set_matrix(&spec.scoring, &matrix, -1);
    align_scoring_set_gap(&spec.scoring, (align_gap_t){-11, -1});
    a = aligner_of(&cpu, pools[1], "auto", &c, &spec);
    run(a, &(pair_batch_t){&pair, 1}, &got);
    assert_int_equal(got.score[0], 19);
    assert_int_equal(got.matches[0], 5);
    assert_int_equal(got.columns[0], 7);
    aligner_destroy(a);
    seqset_destroy(c.set);
}

static void an_unknown_kernel_is_a_usage_error(void **state)
{
    case_t c = spelled_case("A C");
    align_spec_t spec = spec_of(ENDS_FREE, 4, -5, -7);
    device_t cpu = device_cpu();
    align_context_t context = {&cpu, pools[1], c.set, &spec, {0}};
    aligner_t *a = NULL;

    (void)state;
    assert_int_equal(aligner_create(&context, &(aligner_options_t){.kernel = "fastest"},
                                    &a),
                     ST_EUSAGE);
    assert_int_equal(aligner_create(&context, &(aligner_options_t){.kernel = "dscan"},
                                    &a),
                     ST_EUSAGE);
    assert_null(a);
    free_case(&c);
}

/* Whichever kernel is the first of the table. */
static void a_kernel_that_is_excluded_is_not_used(void **state)
{
    case_t c = spelled_case("AACC AGCC");
    align_spec_t spec = spec_of(ENDS_FREE, 4, -5, -7);
    device_t cpu = device_cpu();
    align_context_t context = {&cpu, pools[1], c.set, &spec, {0}};
    aligner_options_t options = {.kernel = "auto"};
    aligner_t *first, *second;

    (void)state;
    assert_int_equal(aligner_create(&context, &options, &first), ST_OK);
    options.except = aligner_name(first);
    assert_int_equal(aligner_create(&context, &options, &second), ST_OK);
    assert_string_not_equal(aligner_name(second), aligner_name(first));
    aligner_destroy(first);
    aligner_destroy(second);
    free_case(&c);
}

static void an_overlap_below_the_minimum_has_no_identity(void **state)
{
    case_t four = spelled_case("AAAACCCC CCCCGGGG");
    case_t three = spelled_case("AAAAACCC CCCGGGGG");
    align_spec_t spec = spec_of(ENDS_FREE, 4, -5, -7);
    pair_results_t got;

    (void)state;
    spec.emit = EMIT_IDENTITY;
    spec.min_overlap = (fraction_t){1, 2};
    got = results_of(&four, &spec);
    assert_int_equal(got.score[0], 4 * 4);
    assert_int_equal(got.matches[0], 4);
    assert_int_equal(got.columns[0], 4);
    got = results_of(&three, &spec);
    assert_int_equal(got.score[0], 3 * 4);
    assert_int_equal(got.matches[0], 0);
    assert_int_equal(got.columns[0], 0);
    spec.min_overlap = (fraction_t){3, 8};
    assert_int_equal(results_of(&three, &spec).columns[0], 3);
    free_case(&four);
    free_case(&three);
}

static void counted_ends_ignore_the_minimum_overlap(void **state)
{
    case_t c = spelled_case("AAAACCCC A");
    align_spec_t spec = spec_of(ENDS_COUNT, 4, -5, -7);
    pair_results_t got;

    (void)state;
    spec.emit = EMIT_IDENTITY;
    spec.min_overlap = (fraction_t){1, 1};
    got = results_of(&c, &spec);
    assert_int_equal(got.score[0], 4 - 7 * 7);
    assert_int_equal(got.matches[0], 1);
    assert_int_equal(got.columns[0], 8);
    free_case(&c);
}

static void counted_ends_of_the_query_ignore_it_too(void **state)
{
    case_t c = spelled_case("AAAACCCC CCCCCGGG");
    align_spec_t spec = spec_of(ENDS_QUERY, 4, -5, -7);
    pair_results_t got;

    (void)state;
    spec.emit = EMIT_IDENTITY;
    spec.min_overlap = (fraction_t){2, 1};
    got = results_of(&c, &spec); /* AAAA hangs over but for one, which is against C */
    assert_int_equal(got.score[0], 4 * 4 - 5 - 3 * 7);
    assert_int_equal(got.matches[0], 4);
    assert_int_equal(got.columns[0], 8);
    free_case(&c);
}

static void a_pair_without_identity_has_no_cigar(void **state)
{
    case_t c = spelled_case("AAAAACCC CCCGGGGG ACCC");
    align_spec_t spec = spec_of(ENDS_FREE, 4, -5, -7);
    pair_batch_t batch = {c.pairs, c.n};
    device_t cpu = device_cpu();
    pair_results_t got;
    aligner_t *a;

    (void)state;
    spec.emit = EMIT_CIGAR;
    spec.min_overlap = (fraction_t){1, 2};
    a = aligner_of(&cpu, pools[3], "auto", &c, &spec);
    run(a, &batch, &got); /* 0 1, 1 0, 0 2, 2 0, 1 2, 2 1 */
    assert_int_equal(got.cigar_start[2], 0);
    assert_int_equal(got.cigar_start[4], 4);
    assert_int_equal(got.cigar[0], cigar_run(4, CIGAR_I));
    assert_int_equal(got.cigar[1], cigar_run(4, CIGAR_EQ));
    assert_int_equal(got.cigar[2], cigar_run(4, CIGAR_D));
    assert_int_equal(got.cigar[3], cigar_run(4, CIGAR_EQ));
    aligner_destroy(a);
    free_case(&c);
}

/* For 1050 bases h takes 41 bits (14 * 10^8 per base), matches 11 and columns 12, more
 * than 62 in all: such pairs go to the scalar backend. */
static void cigars_of_several_backends_are_put_in_order(void **state)
{
    case_t c = spelled_case("ACG GACGT A2C2A2 A1050 A400CA650");
    align_spec_t spec = spec_of(ENDS_COUNT, 1, -1, -700000000);
    static const pair_t pairs[] = {{0, 1}, {3, 4}, {1, 0}, {1, 2}, {4, 3}, {2, 0}};
    device_t cpu = device_cpu();
    align_context_t context = {.device = &cpu, .spec = &spec};
    aligner_t *a;

    (void)state;
    skip_without_simd();
    spec.emit = EMIT_CIGAR;
    assert_false(aligner_backend_takes(&simd_backend, &context, 1050, 1051));
    assert_true(aligner_backend_takes(&simd_backend, &context, 6, 6));
    c.n = sizeof(pairs) / sizeof(pairs[0]);
    memcpy(c.pairs, pairs, sizeof(pairs));
    know_results(&c, &spec);
    a = aligner_of(&cpu, pools[3], "auto", &c, &spec);
    for (int64_t n = c.n; n >= c.n - 1; n--) {
        pair_batch_t batch = {c.pairs, n};
        pair_results_t got;

        run(a, &batch, &got);
        assert_non_null(got.cigar_start);
        assert_slice(&c, &spec, 0, n, &got);
    }
    aligner_destroy(a);
    free_case(&c);
}

/* These pairs are enough to be merged in pieces, by several threads; a few long ones are
 * aligned by the scalar backend. */
static void cigars_of_many_pairs_are_put_in_order_whoever_made_them(void **state)
{
    enum { N = 40000, EVERY = 23331 };
    case_t c = spelled_case("ACG GACGT A2C2A2 A1050 A400CA650");
    align_spec_t spec = spec_of(ENDS_COUNT, 1, -1, -700000000);
    pair_t *pairs = malloc(N * sizeof(*pairs));
    device_t cpu = device_cpu();
    pair_batch_t batch = {pairs, N};
    pair_results_t got;
    aligner_t *a;

    (void)state;
    skip_without_simd();
    assert_non_null(pairs);
    for (int32_t i = 0; i < N; i++)
        pairs[i] =
            i % EVERY == 10 ? (pair_t){3, 4} : (pair_t){i % 3, (i / 3 + 1 + i % 3) % 3};
    free(c.pairs);
    c.pairs = pairs;
    c.n = N;
    spec.emit = EMIT_CIGAR;
    spec.join_columns = true;
    know_results(&c, &spec);
    a = aligner_of(&cpu, pools[3], "auto", &c, &spec);
    run(a, &batch, &got);
    assert_slice(&c, &spec, 0, N, &got);
    aligner_destroy(a);
    free_case(&c);
}

/* With two backends; a batch may have no pairs for one of them. */
static void two_batches_may_be_in_flight(void **state)
{
    static const int64_t ends[] = {0, 5, 6, 13, 13, 20};
    enum { N = sizeof(ends) / sizeof(ends[0]) - 1 };
    align_spec_t spec = spec_of(ENDS_COUNT, 1, -1, -700000000);
    device_t cpu = device_cpu();

    (void)state;
    for (int emit = EMIT_SCORE; emit <= EMIT_CIGAR; emit++) {
        case_t c = spelled_case("ACG GACGT A2C2A2 A1050 A400CA650");
        pair_batch_t batches[N];
        aligner_t *a;

        assert_int_equal(c.n, ends[N]);
        for (int k = 0; k < N; k++)
            batches[k] = (pair_batch_t){c.pairs + ends[k], ends[k + 1] - ends[k]};
        spec.emit = (align_emit_t)emit;
        know_results(&c, &spec);
        a = aligner_of(&cpu, pools[3], "auto", &c, &spec);
        assert_int_equal(aligner_submit(a, &batches[0]), ST_OK);
        for (int k = 0; k < N; k++) {
            pair_results_t got;

            if (k + 1 < N)
                assert_int_equal(aligner_submit(a, &batches[k + 1]), ST_OK);
            assert_int_equal(aligner_wait(a, &got), ST_OK);
            assert_slice(&c, &spec, ends[k], batches[k].n, &got);
        }
        aligner_destroy(a);
        free_case(&c);
    }
}

static void a_cpu_has_one_batch_in_flight(void **state)
{
    case_t c = spelled_case("A C");
    align_spec_t spec = spec_of(ENDS_FREE, 4, -5, -7);
    device_t cpu = device_cpu();
    aligner_t *a = aligner_of(&cpu, pools[1], "auto", &c, &spec);

    (void)state;
    assert_int_equal(aligner_depth(a), 1);
    aligner_destroy(a);
    free_case(&c);
}

static void *cancel_soon(void *flag)
{
    usleep(20000);
    __atomic_store_n((int *)flag, 1, __ATOMIC_RELAXED);
    return NULL;
}

/* 50 pairs of 200000 x 200000 cells would take more than ten minutes. */
static void wait_returns_once_cancelled(void **state)
{
    case_t c = spelled_case("A200000 C200000");
    const char *const kernels[] = {"auto", "scalar", "auto", "scalar"};
    align_spec_t spec = spec_of(ENDS_FREE, 4, -5, -7);
    device_t cpu = device_cpu();
    pair_t *pairs = calloc(50, sizeof(*pairs));
    pair_batch_t batch = {pairs, 50};
    int flag = 0;
    align_context_t context = {&cpu, pools[3], c.set, &spec, {.cancel = &flag}};

    (void)state;
    assert_non_null(pairs);
    for (int64_t i = 0; i < batch.n; i++)
        pairs[i] = c.pairs[i % 2];
    for (int r = 0; r < 4; r++) {
        pair_results_t got;
        pthread_t thread;
        aligner_t *a;

        flag = 0;
        spec.emit = r < 2 ? EMIT_SCORE : EMIT_CIGAR;
        a = aligner_in(&context, kernels[r]);
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
        cmocka_unit_test(an_empty_batch_may_be_the_first),
        cmocka_unit_test(a_matrix_gives_its_own_scores),
        cmocka_unit_test(proteins_are_scored_by_their_matrix),
        cmocka_unit_test(an_unknown_kernel_is_a_usage_error),
        cmocka_unit_test(a_kernel_that_is_excluded_is_not_used),
        cmocka_unit_test(an_overlap_below_the_minimum_has_no_identity),
        cmocka_unit_test(counted_ends_ignore_the_minimum_overlap),
        cmocka_unit_test(counted_ends_of_the_query_ignore_it_too),
        cmocka_unit_test(a_pair_without_identity_has_no_cigar),
        cmocka_unit_test(cigars_of_several_backends_are_put_in_order),
        cmocka_unit_test(cigars_of_many_pairs_are_put_in_order_whoever_made_them),
        cmocka_unit_test(two_batches_may_be_in_flight),
        cmocka_unit_test(a_cpu_has_one_batch_in_flight),
        cmocka_unit_test(wait_returns_once_cancelled),
    };

    return cmocka_run_group_tests(tests, make_pools, destroy_pools);
}
