/*
 * test_nbc_reference.c - the definition of naive Bayes: models small enough to be worked
 * by hand.
 */
#include "tests/support/unit_test.h"

#include "kernels/classify/nbc_backend.h"
#include "tests/kernels/classify/nbc_case.h"
#include "tests/support/spelled_set.h"

/* Taxa 1 and 2 below the root; 3 and 4 below 1, 5 below 2. */
static const int32_t parent[] = {-1, 0, 0, 1, 1, 2};
enum { N_TAXA = 6 };

static const nbc_options_t forward = {.n_resamples = 100, .seed = 1},
                           both = {.n_resamples = 100, .seed = 1, .both_strands = true};

typedef struct {
    seqset_t *refs, *reads;
    nbc_case_t model;
    nbc_results_t r;
} run_t;

static run_t run(const char *refs, const int32_t *taxon_of, const char *reads,
                 const nbc_options_t *options)
{
    run_t t = {.refs = spelled_set(refs), .reads = spelled_set(reads)};
    const device_t cpu = device_cpu();
    nbc_context_t context = {.device = &cpu, .options = *options};

    assert_int_equal(nbc_case_create(t.refs, parent, N_TAXA, taxon_of, NULL, &t.model),
                     ST_OK);
    context.model = t.model.model;
    assert_int_equal(nbc_case_run(&nbc_reference_backend, &context, t.reads, &t.r),
                     ST_OK);
    return t;
}

static void run_free(run_t *t)
{
    nbc_results_free(&t->r);
    nbc_case_free(&t->model);
    seqset_destroy(t->refs);
    seqset_destroy(t->reads);
}

/* N = 2, P(AAAAAAAA) = 1.5 / 3.  Of class 0, P = 1.5 / 2 or 53.1 units; of class 1,
 * 0.5 / 2 or 256. */
static void costs_are_those_of_the_formulas(void **state)
{
    const int32_t taxon_of[] = {3, 5};
    run_t t = run("a AAAAAAAA b CCCCCCCC", taxon_of, "x AAAAAAAA y CCCCCCCC", &forward);

    (void)state;
    for (int i = 0; i < 2; i++) {
        assert_int_equal(t.r.best[i].class_number, i);
        assert_int_equal(t.r.best[i].n_words, 1);
        assert_int_equal(t.r.best[i].cost, 53);
        assert_false(t.r.best[i].reversed);
        for (int k = 2 * i; k < 2 * i + 2; k++) {
            assert_int_equal(t.r.support[k], 100);
            assert_int_equal(t.r.rival[k], 256);
        }
    }
    run_free(&t);
}

/* N = 4, P(AAAAAAAA) = 3.5 / 5 = 0.7 (66 units).  Class 3 has M = 2, m = 2: k log2 3 =
 * 203, gain log2(1 + 2 / 0.7) = 249; class 4 M = 1, m = 1: 128 and 164; class 5 M = 1, m
 * = 0: 128 and 0. */
static void a_rival_is_outside_the_taxon(void **state)
{
    const int32_t taxon_of[] = {3, 3, 4, 5};
    run_t t = run("a AAAAAAAA b AAAAAAAA c AAAAAAAA d CCCCCCCC", taxon_of, "x AAAAAAAA",
                  &forward);

    (void)state;
    assert_int_equal(t.r.best[0].class_number, 0);
    assert_int_equal(t.r.best[0].cost, 66 + 203 - 249);
    assert_int_equal(t.r.rival[0], 66 + 128); /* outside taxon 1: class of taxon 5 */
    assert_int_equal(t.r.rival[1], 66 + 128 - 164); /* outside taxon 3: that of taxon 4 */
    run_free(&t);
}

static void a_read_may_be_the_reverse_complement(void **state)
{
    const int32_t taxon_of[] = {3, 5};
    run_t t =
        run("a AAAAAAAA b CCCCCCCC", taxon_of, "x TTTTTTTT y AAAAAAAA z ACGTACGT", &both);

    (void)state;
    assert_true(t.r.best[0].reversed);
    assert_int_equal(t.r.best[0].class_number, 0);
    assert_int_equal(t.r.best[0].cost, 53);
    assert_false(t.r.best[1].reversed);
    assert_false(t.r.best[2].reversed); /* a tie */
    run_free(&t);
}

/* Both classes cost 53 + 256.  Of five draws the majority decides. */
static void ties_go_to_the_first_class_and_resamples_count_their_draws(void **state)
{
    const int32_t taxon_of[] = {3, 5};
    const uint16_t words[] = {0, 0x5555};
    const uint64_t key = nbc_words_key(forward.seed, words, 2);
    run_t t = run("a AAAAAAAA b CCCCCCCC", taxon_of, "x CCCCCCCCNAAAAAAAA", &forward);
    int n_first = 0;

    (void)state;
    for (int r = 0; r < 100; r++) {
        int n_zero = 0;

        for (int d = 0; d < 5; d++)
            n_zero += nbc_draw(key, r, d, 2) == 0;
        n_first += n_zero >= 3;
    }
    assert_int_equal(t.r.best[0].class_number, 0);
    assert_int_equal(t.r.best[0].cost, 53 + 256);
    assert_int_equal(t.r.rival[0], 53 + 256);
    assert_int_equal(t.r.support[0], n_first);
    assert_in_range(n_first, 30, 70);
    run_free(&t);
}

/* The reference of taxon 1 itself supports taxon 1, but not its child 3. */
static void lineages_may_be_of_different_lengths(void **state)
{
    const int32_t taxon_of[] = {1, 3};
    run_t t = run("a AAAAAAAA b CCCCCCCC", taxon_of, "x AAAAAAAA y CCCCCCCC", &forward);

    (void)state;
    assert_int_equal(t.r.best[0].class_number, 0);
    assert_int_equal(t.r.support[0], 100);
    assert_int_equal(t.r.support[1], 0);
    assert_int_equal(t.r.rival[0], NBC_COST_NONE);
    assert_int_equal(t.r.rival[1], NBC_COST_NONE);
    assert_int_equal(t.r.support[2], 100);
    assert_int_equal(t.r.support[3], 100);
    assert_int_equal(t.r.rival[2], NBC_COST_NONE);
    assert_int_equal(t.r.rival[3], 256);
    run_free(&t);
}

static void a_read_without_words_has_no_class(void **state)
{
    const int32_t taxon_of[] = {3, 5};
    run_t t = run("a AAAAAAAA b CCCCCCCC", taxon_of, "x AAAAAAA y NNNNNNNNNNNN", &both);

    (void)state;
    for (int i = 0; i < 2; i++) {
        assert_int_equal(t.r.best[i].class_number, -1);
        assert_int_equal(t.r.best[i].n_words, 0);
        assert_int_equal(t.r.best[i].cost, NBC_COST_NONE);
        assert_int_equal(t.r.support[2 * i], 0);
        assert_int_equal(t.r.rival[2 * i], NBC_COST_NONE);
    }
    run_free(&t);
}

static void references_may_be_left_out(void **state)
{
    const int32_t taxon_of[] = {-1, 5, 3}, none[] = {-1, -1, -1};
    run_t t = run("a AAAAAAAA b CCCCCCCC c AAAAAAAA", taxon_of, "x AAAAAAAA", &forward);

    (void)state;
    assert_int_equal(t.r.best[0].class_number, 0);
    assert_int_equal(t.model.classes.taxon[0], 3);
    assert_int_equal(t.r.best[0].cost, 53);
    run_free(&t);
    t = run("a AAAAAAAA b CCCCCCCC c AAAAAAAA", none, "x AAAAAAAA", &both);
    assert_int_equal(t.r.best[0].class_number, -1);
    assert_int_equal(t.r.best[0].n_words, 1);
    run_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(costs_are_those_of_the_formulas),
        cmocka_unit_test(a_rival_is_outside_the_taxon),
        cmocka_unit_test(a_read_may_be_the_reverse_complement),
        cmocka_unit_test(ties_go_to_the_first_class_and_resamples_count_their_draws),
        cmocka_unit_test(lineages_may_be_of_different_lengths),
        cmocka_unit_test(a_read_without_words_has_no_class),
        cmocka_unit_test(references_may_be_left_out),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
