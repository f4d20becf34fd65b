/*
 * test_otu_table.c - OTUs are numbered, represented and counted by the documented rules.
 */
#include "tests/support/unit_test.h"

#include <stdio.h>

#include "tests/io/otu/otu_case.h"

static void otus_are_numbered_by_abundance(void **state)
{
    const int32_t otu[] = {1, 0, 1, 2, 0, 2}, member[] = {1, 4, 0, 2, 3, 5};
    otu_table_t *t = otu_case_table(false, 1);

    (void)state;
    assert_int_equal(t->n_otus, 3);
    assert_memory_equal(t->otu, otu, sizeof(otu));
    assert_memory_equal(t->member, member, sizeof(member));
    assert_int_equal(t->member_start[1], 2);
    assert_int_equal(t->member_start[3], 6);
    assert_int_equal(t->size[0], 18);
    assert_int_equal(t->size[2], 3);
    otu_table_destroy(t);
}

static void the_representative_is_the_first_of_the_most_abundant_members(void **state)
{
    otu_table_t *t = otu_case_table(false, 1);

    (void)state;
    assert_int_equal(t->representative[0], 1); /* 1 and 4 have 9 each */
    assert_int_equal(t->representative[1], 2);
    assert_int_equal(t->representative[2], 3);
    otu_table_destroy(t);
}

static void otus_of_equal_abundance_are_ordered_by_representative(void **state)
{
    const int32_t label[] = {2, 1, 2, 1};
    const int64_t size[] = {1, 2, 2, 1}; /* both OTUs have 3; 1 and 2 represent them */
    const pairs_samples_t none = {0};
    otu_table_t *t = NULL;

    (void)state;
    assert_int_equal(otu_table_create(4, label, size, &none, 1, &t), ST_OK);
    assert_int_equal(t->representative[0], 1);
    assert_int_equal(t->representative[1], 2);
    otu_table_destroy(t);
}

/* Without Otu1 (B: sequences 1 and 4) there are Otu2 (A) and Otu3 (C). */
static void otus_that_are_kept_keep_their_names(void **state)
{
    static const bool keep[] = {false, true, true}, last[] = {false, true};
    const int32_t otu[] = {0, -1, 0, 1, -1, 1}, member[] = {0, 2, 3, 5};
    otu_table_t *t = otu_case_table(true, 1);
    const int64_t n = t->row_start[3] - t->row_start[1];
    const int32_t *sample = t->sample + t->row_start[1];
    const int64_t of_a = t->count[t->row_start[1]];
    const int32_t first = sample[0];
    char text[OTU_NAME_BYTES];

    (void)state;
    assert_int_equal(otu_table_keep(t, keep), ST_OK);
    assert_int_equal(t->n_otus, 2);
    assert_memory_equal(t->otu, otu, sizeof(otu));
    assert_memory_equal(t->member, member, sizeof(member));
    assert_int_equal(t->member_start[2], 4);
    assert_int_equal(t->n_left_out, 2);
    assert_int_equal(t->representative[0], 2);
    assert_int_equal(t->size[0], 5);
    assert_int_equal(t->row_start[2], n);
    assert_int_equal(t->sample[0], first);
    assert_int_equal(t->count[0], of_a);
    assert_string_equal(otu_table_name(t, 0, text), "Otu2");
    assert_int_equal(otu_table_keep(t, last), ST_OK);
    assert_int_equal(t->n_otus, 1);
    assert_int_equal(t->size[0], 3);
    assert_string_equal(otu_table_name(t, 0, text), "Otu3");
    otu_table_destroy(t);
}

static void without_samples_the_table_has_one_column(void **state)
{
    otu_table_t *t = otu_case_table(false, 1);

    (void)state;
    assert_int_equal(t->n_samples, 1);
    assert_string_equal(t->sample_name[0], "all");
    assert_int_equal(t->row_start[3], 3);
    assert_int_equal(t->count[1], 5);
    otu_table_destroy(t);
}

/* Otu1 = sequences 1 and 4: 4 + 2 and 5 + 7; Otu2: 1 and 4; Otu3: 1 and 1 + 1. */
static void samples_are_summed_over_members(void **state)
{
    const int64_t count[] = {6, 12, 1, 4, 1, 2};
    otu_table_t *t = otu_case_table(true, 1);

    (void)state;
    assert_int_equal(t->n_samples, 2);
    assert_int_equal(t->row_start[3], 6);
    assert_memory_equal(t->count, count, sizeof(count));
    for (int k = 0; k < 6; k++)
        assert_int_equal(t->sample[k], k % 2);
    otu_table_destroy(t);
}

static void rare_otus_are_left_out(void **state)
{
    const int32_t otu[] = {1, 0, 1, -1, 0, -1};
    otu_table_t *t = otu_case_table(true, 5);

    (void)state;
    assert_int_equal(t->n_otus, 2); /* of 18 and of 5 */
    assert_memory_equal(t->otu, otu, sizeof(otu));
    assert_int_equal(t->n_otus_left_out, 1);
    assert_int_equal(t->n_left_out, 2);
    assert_int_equal(t->member_start[2], 4);
    otu_table_destroy(t);
    t = otu_case_table(true, 19);
    assert_int_equal(t->n_otus, 0);
    assert_int_equal(t->n_left_out, 6);
    otu_table_destroy(t);
}

static void without_abundances_every_sequence_counts_once(void **state)
{
    const pairs_samples_t none = {0};
    otu_table_t *t = NULL;

    (void)state;
    assert_int_equal(otu_table_create(6, otu_case_label, NULL, &none, 1, &t), ST_OK);
    for (int k = 0; k < 3; k++) {
        assert_int_equal(t->size[k], 2);
        assert_int_equal(t->representative[k], k == 0 ? 0 : k == 1 ? 1 : 3);
    }
    otu_table_destroy(t);
    assert_int_equal(otu_table_create(0, NULL, NULL, &none, 1, &t), ST_OK);
    assert_int_equal(t->n_otus, 0);
    otu_table_destroy(t);
    otu_table_destroy(NULL);
}

static void otus_of_one_member_are_counted(void **state)
{
    static const pairs_samples_t no_samples;
    const int32_t label[] = {0, 1, 0, 3, 4}; /* two together, three alone */
    otu_table_t *t;

    (void)state;
    assert_int_equal(otu_table_create(5, label, NULL, &no_samples, 1, &t), ST_OK);
    assert_int_equal(otu_table_n_single(t), 3);
    otu_table_destroy(t);
    t = otu_case_table(false, 1);
    assert_int_equal(otu_table_n_single(t), 0);
    otu_table_destroy(t);
}

static void names_have_leading_zeros(void **state)
{
    otu_table_t t = {.n_otus = 9};
    char text[OTU_NAME_BYTES];

    (void)state;
    assert_int_equal(otu_table_number(&t), ST_OK);
    assert_string_equal(otu_table_name(&t, 8, text), "Otu9");
    free(t.number);
    t.n_otus = 1000;
    assert_int_equal(otu_table_number(&t), ST_OK);
    assert_string_equal(otu_table_name(&t, 8, text), "Otu0009");
    t.number[8] = INT64_MAX;
    assert_string_equal(otu_table_name(&t, 8, text), "Otu9223372036854775807");
    free(t.number);
}

/* Expect the first name that is refused of three, with numbers up to 120; 3: none. */
static void assert_bad_name(const char *a, const char *b, const char *c, int64_t want)
{
    char names[3][OTU_NAME_BYTES], *all[] = {names[0], names[1], names[2]};
    otu_table_t t = {.n_otus = 3};
    char text[OTU_NAME_BYTES];
    int64_t bad;

    snprintf(names[0], OTU_NAME_BYTES, "%s", a);
    snprintf(names[1], OTU_NAME_BYTES, "%s", b);
    snprintf(names[2], OTU_NAME_BYTES, "%s", c);
    assert_int_equal(otu_table_number(&t), ST_OK);
    t.last_number = 120;
    assert_int_equal(otu_table_take_names(&t, all, &bad), ST_OK);
    assert_int_equal(bad, want);
    for (int64_t k = 0; k < bad; k++)
        assert_string_equal(otu_table_name(&t, k, text), all[k]);
    free(t.number);
}

static void names_tell_their_numbers(void **state)
{
    (void)state;
    assert_bad_name("Otu02", "Otu99", "Otu07", 3);
    assert_bad_name("Otu02", "Otu120", "Otu100", 3);
    assert_bad_name("Otu100", "Otu120", "Otu101", 3);
    assert_bad_name("Otu02", "Otu121", "Otu03", 1);
    assert_bad_name("Otu02", "Otu03", "Otu02", 2);
    assert_bad_name("Otu02", "Otu003", "Otu04", 1);
    assert_bad_name("Otu0", "Otu1", "Otu2", 0);
    assert_bad_name("Otu1", "Otu-2", "Otu3", 1);
    assert_bad_name("Otu1", "Otu 2", "Otu3", 1);
    assert_bad_name("Otu1", "Ot", "Otu3", 1);
    assert_bad_name("Otu1", "Otu2", "Asv3", 2);
    assert_bad_name("Otu1", "Otu2x", "Otu3", 1);
    assert_bad_name("", "Otu2", "Otu3", 0);
    assert_bad_name("Otu", "Otu2", "Otu3", 0);
}

static void otus_may_have_names_of_their_own(void **state)
{
    const char *names[] = {"AB001", "a longer name than any number"};
    otu_table_t t = {.n_otus = 2, .name = names};
    char text[OTU_NAME_BYTES];

    (void)state;
    assert_string_equal(otu_table_name(&t, 0, text), "AB001");
    assert_string_equal(otu_table_name(&t, 1, text), names[1]);
}

static void sequences_without_a_cluster_are_in_no_otu(void **state)
{
    static const pairs_samples_t no_samples;
    const int32_t label[] = {-1, 3, -1, 3, 4};
    const int64_t size[] = {9, 1, 9, 1, 1};
    otu_table_t *t;

    (void)state;
    assert_int_equal(otu_table_create(5, label, size, &no_samples, 1, &t), ST_OK);
    assert_int_equal(t->n_otus, 2);
    assert_int_equal(t->otu[0], -1);
    assert_int_equal(t->otu[3], 0);
    assert_int_equal(t->otu[4], 1);
    assert_int_equal(t->size[0], 2);
    assert_int_equal(t->n_left_out, 2);
    assert_int_equal(t->n_otus_left_out, 0);
    otu_table_destroy(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(otus_are_numbered_by_abundance),
        cmocka_unit_test(the_representative_is_the_first_of_the_most_abundant_members),
        cmocka_unit_test(otus_of_equal_abundance_are_ordered_by_representative),
        cmocka_unit_test(otus_that_are_kept_keep_their_names),
        cmocka_unit_test(without_samples_the_table_has_one_column),
        cmocka_unit_test(samples_are_summed_over_members),
        cmocka_unit_test(rare_otus_are_left_out),
        cmocka_unit_test(without_abundances_every_sequence_counts_once),
        cmocka_unit_test(otus_of_one_member_are_counted),
        cmocka_unit_test(names_have_leading_zeros),
        cmocka_unit_test(names_tell_their_numbers),
        cmocka_unit_test(otus_may_have_names_of_their_own),
        cmocka_unit_test(sequences_without_a_cluster_are_in_no_otu),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
