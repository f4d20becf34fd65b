/*
 * test_class_evidence.c - evidence counted by hand, and with references left out.
 */
#include "tests/support/unit_test.h"
#include <math.h>

#include "kernels/classify/class_rule.h"
#include "kernels/classify/nbc_backend.h"
#include "kernels/classify/nbc_score.h"
#include "tests/kernels/classify/nbc_case.h"
#include "tests/support/spelled_set.h"

/* Taxa: 0 root; 1 a phylum; 2, 3 its genera; 4 another phylum without genera.  The
 * references have 3, 2, 3 and 2 words. */
static const int32_t parent[] = {-1, 0, 1, 1, 0};
static const char refs_text[] = "a ACGTTGCAAG b ACGTTGCAA c CCATGCATTG d GATTACAGA";
static const int32_t taxon_of[] = {2, 2, 3, 4};

static class_evidence_t out[2];

/* Collect the evidence for a read. @param n_removed  -1: from a whole model */
static void collect(const char *read, const int32_t *removed, int64_t n_removed)
{
    seqset_t *refs = spelled_set(refs_text), *reads = spelled_set(read);
    nbc_case_t c;
    class_statistics_t known;
    class_scratch_t *scratch;
    nbc_results_t results;

    assert_int_equal(nbc_case_create(refs, parent, 5, taxon_of, NULL, &c), ST_OK);
    assert_int_equal(class_statistics_create(c.model, NULL, &known), ST_OK);
    assert_int_equal(class_scratch_create(c.model, 1, &scratch), ST_OK);
    const device_t device = {.kind = DEVICE_CPU};
    const nbc_context_t context = {.device = &device,
                                   .model = c.model,
                                   .options = {.n_resamples = 10, .both_strands = true}};
    const class_read_t r = {.reads = reads, .results = &results, .n_resamples = 10};
    if (n_removed < 0) {
        assert_int_equal(nbc_case_run(&nbc_reference_backend, &context, reads, &results),
                         ST_OK);
        class_evidence_of(&known, &r, scratch, out);
        nbc_results_free(&results);
    } else {
        nbc_without_t *without;

        assert_int_equal(nbc_without_create(&context, &without), ST_OK);
        assert_int_equal(nbc_without_classify(without, reads, 0, removed, n_removed,
                                              &results),
                         ST_OK);
        class_evidence_without(&known, &r, removed, n_removed, scratch, out);
        nbc_without_destroy(without);
    }
    class_scratch_destroy(scratch);
    class_statistics_free(&known);
    nbc_case_free(&c);
    seqset_destroy(refs);
    seqset_destroy(reads);
}

/* The read has 4 words, 3 of which are in a and 2 in b.  Of a's 3 words b has 2, of b's 2
 * words a has both. */
static void covered_words_and_sizes_are_counted(void **state)
{
    (void)state;
    collect("x ACGTTGCAAGT", NULL, -1);
    assert_true(out[0].n_refs == 3 && out[1].n_refs == 2);
    assert_true(out[0].covered == 0.75 && out[1].covered == 0.75);
    assert_true(fabs(out[1].likeness - 2. / 3) < 1e-12);
    assert_true(out[1].support == 1 && out[1].margin > 0);
}

/* Of the read's 4 words, all rare, a has 3 and b 2; c and d have none. */
static void the_lead_is_that_over_references_outside_the_taxon(void **state)
{
    const int32_t a_and_b[] = {0, 1};

    (void)state;
    collect("x ACGTTGCAAGT", NULL, -1);
    assert_true(out[0].lead == 0.75 && out[1].lead == 0.75);
    /* 9 words: a and b have 2, d, the best class and without genera, has 1. */
    collect("x ACGTTGCAATTACAGA", NULL, -1);
    assert_true(fabs(out[0].lead + 1. / 9) < 1e-12 && out[1].lead == 0);
    collect("x CCATGCATTACAGA", a_and_b, 2); /* 7 words: c has 2, d 1 */
    assert_true(fabs(out[0].lead - 1. / 7) < 1e-12 && out[1].lead == out[0].lead);
}

static void a_reversed_read_has_the_same_evidence(void **state)
{
    class_evidence_t forward[2];

    (void)state;
    collect("x ACGTTGCAAGT", NULL, -1);
    forward[0] = out[0];
    forward[1] = out[1];
    collect("x ACTTGCAACGT", NULL, -1);
    for (int r = 0; r < 2; r++)
        assert_true(out[r].covered == forward[r].covered &&
                    out[r].likeness == forward[r].likeness &&
                    out[r].margin == forward[r].margin && out[r].lead == forward[r].lead);
}

static void ranks_below_the_lineage_are_empty(void **state)
{
    (void)state;
    collect("x GATTACAGA", NULL, -1);
    assert_true(out[0].n_refs == 1 && out[0].likeness == 0 && out[0].covered == 1);
    assert_true(out[1].n_refs == 0 && out[1].covered == 0);
}

static void nothing_is_known_of_a_read_without_words(void **state)
{
    (void)state;
    collect("x ACGTNACGT", NULL, -1);
    assert_true(out[0].n_refs == 0 && out[0].covered == 0 && out[0].support == 0);
}

/* Without a the genus has b alone: 2 of the 4 words, no two members to compare. */
static void removed_references_count_as_absent(void **state)
{
    const int32_t a[] = {0};

    (void)state;
    collect("x ACGTTGCAAGT", a, 1);
    assert_true(out[0].n_refs == 2 && out[1].n_refs == 1);
    assert_true(out[1].covered == 0.5 && out[1].likeness == 0);
}

static void removing_nothing_changes_nothing(void **state)
{
    class_evidence_t whole[2];

    (void)state;
    collect("x ACGTTGCAAGT", NULL, -1);
    whole[0] = out[0];
    whole[1] = out[1];
    collect("x ACGTTGCAAGT", NULL, 0);
    for (int r = 0; r < 2; r++)
        assert_memory_equal(&out[r], &whole[r], sizeof(whole[r]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(covered_words_and_sizes_are_counted),
        cmocka_unit_test(the_lead_is_that_over_references_outside_the_taxon),
        cmocka_unit_test(a_reversed_read_has_the_same_evidence),
        cmocka_unit_test(ranks_below_the_lineage_are_empty),
        cmocka_unit_test(nothing_is_known_of_a_read_without_words),
        cmocka_unit_test(removed_references_count_as_absent),
        cmocka_unit_test(removing_nothing_changes_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
