/*
 * test_class_train.c - what cases lack, their labels, and a rule learned from a model.
 */
#include "tests/support/unit_test.h"

#include "kernels/classify/class_train.h"
#include "tests/kernels/classify/nbc_case.h"
#include "tests/support/spelled_set.h"

/* Taxa: 1 and 2 phyla, 3 and 4 genera of 1, 5 a genus of 2.  Of the first genus two
 * references are equal, one differs in its last base: 12 of its 13 words are theirs. */
static const int32_t parent[] = {-1, 0, 0, 1, 1, 2};
static const int32_t taxon_of[] = {3, 3, 3, 4, 5};
static const char refs_text[] = "a ACGTTGCAAGGCTTAACGAT b ACGTTGCAAGGCTTAACGAT "
                                "c ACGTTGCAAGGCTTAACGAG d CCATGCATTGACCATGGACA "
                                "e GATTACAGATTTCCCGGGAA";

typedef struct {
    seqset_t *refs;
    nbc_case_t nbc;
    class_train_t train;
    class_train_cases_t cases; /* of all samples */
} fixture_t;

static void build(fixture_t *f)
{
    f->refs = spelled_set(refs_text);
    assert_int_equal(nbc_case_create(f->refs, parent, 6, taxon_of, NULL, &f->nbc), ST_OK);
    assert_int_equal(class_train_create(f->nbc.model, 100, 1, &f->train), ST_OK);
    assert_int_equal(class_train_list(&f->train, 0, f->train.n, NULL, &f->cases), ST_OK);
}

static void destroy(fixture_t *f)
{
    class_train_cases_free(&f->cases);
    class_train_free(&f->train);
    nbc_case_free(&f->nbc);
    seqset_destroy(f->refs);
}

/* @return the case of a reference */
static const class_case_t *case_of(const fixture_t *f, int64_t ref, int group)
{
    for (int64_t i = 0; i < f->cases.n; i++)
        if (f->cases.cases[i].read == ref && f->cases.cases[i].group == group)
            return &f->cases.cases[i];
    fail_msg("no such case");
    return NULL;
}

static void assert_lacks(const class_case_t *c, int n, const int32_t *refs)
{
    assert_int_equal(c->n_removed, n);
    assert_memory_equal(c->removed, refs, (size_t)n * sizeof(*refs));
}

static void every_reference_is_sampled_once(void **state)
{
    fixture_t f;

    (void)state;
    build(&f);
    assert_int_equal(f.train.n, 5);
    assert_int_equal(f.cases.n, 5 * CLASS_TRAIN_GROUPS);
    for (int64_t ref = 0; ref < 5; ref++)
        assert_non_null(case_of(&f, ref, 0));
    destroy(&f);
}

/* Of three genera each loses a reference before one loses a second, which is another one.
 */
static void genera_are_left_out_in_turn(void **state)
{
    fixture_t f;
    int n[6] = {0}, n_of_ref[5] = {0};

    (void)state;
    build(&f);
    for (int64_t s = 0; s < 5; s++) {
        const int32_t ref = f.train.absent[s];
        const class_case_t *c = &f.cases.cases[s * CLASS_TRAIN_GROUPS + CLASS_TRAIN_OWN];

        assert_int_equal(c->read, ref);
        assert_int_equal(c[1].read, ref);
        n_of_ref[ref]++;
        if (s < 3)
            assert_int_equal(n[taxon_of[ref]]++, 0);
    }
    assert_true(n_of_ref[0] <= 1 && n_of_ref[1] <= 1 && n_of_ref[2] <= 1);
    destroy(&f);
}

/* Reference d has no genus: it may be of the one that its phylum has. */
static const int32_t without_genus[] = {3, 3, 3, 1, 5};

static void a_name_that_others_are_below_is_none_of_the_lowest_rank(void **state)
{
    const class_case_t own = {.absent_rank = 2};
    class_evidence_t evidence[2] = {{.n_refs = 1}, {.n_refs = 1}};
    class_example_t e[2];
    nbc_case_t nbc;
    seqset_t *refs = spelled_set(refs_text);
    const nbc_classes_t *c;

    (void)state;
    assert_int_equal(nbc_case_create(refs, parent, 6, without_genus, NULL, &nbc), ST_OK);
    c = nbc.model->classes;
    assert_true(class_is_above(c, nbc.model->class_of[3]));
    assert_false(class_is_above(c, nbc.model->class_of[0]));
    assert_false(class_is_above(c, nbc.model->class_of[4]));
    class_case_label(c, &own, nbc.model->class_of[0], evidence, e);
    assert_int_equal(e[1].truth, CLASS_ABSENT);
    evidence[1].n_refs = 0;
    class_case_label(c, &own, nbc.model->class_of[3], evidence, e);
    assert_int_equal(e[1].truth, CLASS_ABSENT_ABOVE);
    nbc_case_free(&nbc);
    seqset_destroy(refs);
}

static void taxa_that_others_are_below_do_not_become_absent(void **state)
{
    class_train_t train;
    nbc_case_t nbc;
    seqset_t *refs = spelled_set(refs_text);

    (void)state;
    assert_int_equal(nbc_case_create(refs, parent, 6, without_genus, NULL, &nbc), ST_OK);
    assert_int_equal(class_train_create(nbc.model, 100, 1, &train), ST_OK);
    assert_int_equal(train.n, 5);
    for (int64_t s = 0; s < train.n; s++)
        assert_int_not_equal(train.absent[s], 3);
    class_train_free(&train);
    nbc_case_free(&nbc);
    seqset_destroy(refs);
}

/* 12 / 13 = 0.923 is below the limit of 0.935 and above that of 0.84. */
static void similar_references_are_left_out(void **state)
{
    fixture_t f;

    (void)state;
    build(&f);
    assert_lacks(case_of(&f, 0, 0), 1, (int32_t[]){0});
    assert_lacks(case_of(&f, 0, 1), 2, (int32_t[]){0, 1});
    assert_lacks(case_of(&f, 0, 2), 3, (int32_t[]){0, 1, 2});
    assert_lacks(case_of(&f, 2, 1), 1, (int32_t[]){2});
    assert_lacks(case_of(&f, 2, 4), 3, (int32_t[]){0, 1, 2});
    destroy(&f);
}

static void whole_taxa_are_left_out(void **state)
{
    fixture_t f;

    (void)state;
    build(&f);
    assert_lacks(case_of(&f, 1, CLASS_TRAIN_OWN), 3, (int32_t[]){0, 1, 2});
    assert_int_equal(case_of(&f, 1, CLASS_TRAIN_OWN)->absent_rank, 2);
    assert_lacks(case_of(&f, 1, CLASS_TRAIN_HIGHER), 4, (int32_t[]){0, 1, 2, 3});
    assert_int_equal(case_of(&f, 1, CLASS_TRAIN_HIGHER)->absent_rank, 1);
    destroy(&f);
}

/* Ranks list the cases of different samples. */
static void cases_do_not_depend_on_the_others(void **state)
{
    fixture_t f;

    (void)state;
    build(&f);
    for (int64_t s = 0; s < 5; s++) {
        class_train_cases_t one;

        assert_int_equal(class_train_list(&f.train, s, 1, NULL, &one), ST_OK);
        assert_int_equal(one.n, CLASS_TRAIN_GROUPS);
        for (int g = 0; g < CLASS_TRAIN_GROUPS; g++) {
            const class_case_t *c = &f.cases.cases[s * CLASS_TRAIN_GROUPS + g];

            assert_int_equal(one.cases[g].read, c->read);
            assert_int_equal(one.cases[g].group, g);
            assert_int_equal(one.cases[g].absent_rank, c->absent_rank);
            assert_lacks(&one.cases[g], (int)c->n_removed, c->removed);
        }
        class_train_cases_free(&one);
    }
    destroy(&f);
}

static void parts_have_the_cases_of_absent_taxa_alone(void **state)
{
    class_train_cases_t cases;
    fixture_t f;

    (void)state;
    build(&f);
    f.train.is_cut = true;
    assert_int_equal(class_train_list(&f.train, 1, 4, NULL, &cases), ST_OK);
    assert_int_equal(cases.n, 4 * CLASS_TRAIN_ABSENT);
    for (int64_t i = 0; i < cases.n; i++) {
        const int group = i % 2 == 0 ? CLASS_TRAIN_OWN : CLASS_TRAIN_HIGHER;
        const class_case_t *whole = case_of(&f, f.train.absent[1 + i / 2], group);

        assert_int_equal(cases.cases[i].read, 1 + i / 2);
        assert_int_equal(cases.cases[i].own_class, whole->own_class);
        assert_int_equal(cases.cases[i].group, group);
        assert_int_equal(cases.cases[i].absent_rank, whole->absent_rank);
        assert_lacks(&cases.cases[i], (int)whole->n_removed, whole->removed);
    }
    class_train_cases_free(&cases);
    destroy(&f);
}

/* Run one case of a reference. @param out  [2] by rule */
static void run_case(const fixture_t *f, int64_t ref, int group, class_example_t *out)
{
    const device_t device = {.kind = DEVICE_CPU};
    const nbc_context_t nbc = {.device = &device,
                               .model = f->nbc.model,
                               .options = {.n_resamples = 10}};
    class_statistics_t known;
    int32_t found;

    assert_int_equal(class_statistics_create(f->nbc.model, NULL, &known), ST_OK);
    assert_int_equal(class_case_run(&(class_case_context_t){&nbc, &known, f->refs, NULL},
                                    case_of(f, ref, group), 1, &found, out),
                     ST_OK);
    class_statistics_free(&known);
}

static void labels_follow_what_was_left_out(void **state)
{
    class_example_t e[2];
    fixture_t f;

    (void)state;
    build(&f);
    run_case(&f, 0, 0, e);
    assert_int_equal(e[0].truth, CLASS_RIGHT);
    assert_int_equal(e[1].truth, CLASS_RIGHT);
    run_case(&f, 0, CLASS_TRAIN_OWN, e);
    assert_int_equal(e[1].truth, CLASS_ABSENT);
    run_case(&f, 0, CLASS_TRAIN_HIGHER, e); /* nothing is taught about genera */
    assert_int_equal(e[0].truth, CLASS_ABSENT);
    assert_int_equal(e[1].group, CLASS_NO_EXAMPLE);
    destroy(&f);
}

/* References a, b, c are of one genus, d of another one in their phylum. */
static void reads_of_a_taxon_share_a_fold(void **state)
{
    class_example_t e[4][2];
    fixture_t f;

    (void)state;
    build(&f);
    for (int ref = 0; ref < 4; ref++)
        run_case(&f, ref, 0, e[ref]);
    for (int ref = 1; ref < 4; ref++) {
        assert_int_equal(e[ref][0].fold, e[0][0].fold);
        assert_int_equal(e[ref][1].fold == e[0][1].fold, ref < 3);
    }
    destroy(&f);
}

/* Rank 1 has no absent examples: it gets the rule of rank 2. */
static void a_rank_without_examples_has_the_rule_below(void **state)
{
    class_example_t e[4] = {{.truth = CLASS_RIGHT, .group = CLASS_NO_EXAMPLE},
                            {.evidence = {.support = 1}, .truth = CLASS_RIGHT},
                            {.truth = CLASS_RIGHT, .group = 0},
                            {.evidence = {.support = 0.5}, .truth = CLASS_ABSENT}};
    class_rule_t rules[2];

    (void)state;
    assert_int_equal(class_case_learn(CLASS_JOINT, CLASS_PRIOR_EQUAL, e, 2, 2, rules),
                     ST_OK);
    assert_memory_equal(&rules[0], &rules[1], sizeof(rules[0]));
    assert_int_equal(class_case_learn(CLASS_JOINT, CLASS_PRIOR_EQUAL, e, 1, 2, rules),
                     ST_EINPUT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_reference_is_sampled_once),
        cmocka_unit_test(genera_are_left_out_in_turn),
        cmocka_unit_test(a_name_that_others_are_below_is_none_of_the_lowest_rank),
        cmocka_unit_test(taxa_that_others_are_below_do_not_become_absent),
        cmocka_unit_test(similar_references_are_left_out),
        cmocka_unit_test(whole_taxa_are_left_out),
        cmocka_unit_test(cases_do_not_depend_on_the_others),
        cmocka_unit_test(parts_have_the_cases_of_absent_taxa_alone),
        cmocka_unit_test(labels_follow_what_was_left_out),
        cmocka_unit_test(reads_of_a_taxon_share_a_fold),
        cmocka_unit_test(a_rank_without_examples_has_the_rule_below),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
