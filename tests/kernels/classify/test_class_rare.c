/*
 * test_class_rare.c - leads counted by hand; which words are rare.
 */
#include "tests/support/unit_test.h"

#include "kernels/classify/class_rule.h"
#include "tests/kernels/classify/nbc_case.h"
#include "tests/support/spelled_set.h"

/* Reference 0 has three words, the others, of another genus, the first one alone. */
enum { N_OTHERS = CLASS_RARE_REFS + 1, N_REFS = 1 + N_OTHERS };

static const char own_text[] = "a ACGTTGCAAG", other_text[] = " b ACGTTGCA";

/* Taxa: 0 root; 1, 2 genera. */
static const int32_t parent[] = {-1, 0, 0};

static int32_t taxon_of[N_REFS];

static seqset_t *make_refs(void)
{
    char text[sizeof(own_text) + N_OTHERS * sizeof(other_text)];
    size_t len = sizeof(own_text) - 1;

    memcpy(text, own_text, sizeof(own_text));
    taxon_of[0] = 1;
    for (int i = 1; i < N_REFS; i++) {
        memcpy(text + len, other_text, sizeof(other_text));
        len += sizeof(other_text) - 1;
        taxon_of[i] = 2;
    }
    return spelled_set(text);
}

/* @return the lead of reference 0 for its own words, without the first n_removed others
 */
static double lead_without(int n_removed)
{
    static nbc_words_set_t set;
    static uint16_t n_shared[N_REFS];
    const int32_t removed[] = {1, 2, 3};
    seqset_t *refs = make_refs();
    nbc_case_t c;
    class_rare_t rare;
    uint16_t words[NBC_N_WORDS];
    double lead;

    assert_int_equal(nbc_case_create(refs, parent, 3, taxon_of, NULL, &c), ST_OK);
    assert_int_equal(class_rare_create(c.model, NULL, &rare), ST_OK);
    const class_rare_read_t read = {.words = words,
                                    .n_words =
                                        nbc_words_find(seqset_letters(refs, 0),
                                                       seqset_len(refs, 0), &set, words),
                                    .best = c.class_of[0],
                                    .removed = removed,
                                    .n_removed = n_removed};
    class_rare_lead(&rare, &read, n_shared, &lead);
    for (int i = 0; i < N_REFS; i++)
        assert_int_equal(n_shared[i], 0);
    class_rare_free(&rare);
    nbc_case_free(&c);
    seqset_destroy(refs);
    return lead;
}

/* The first word is in N_REFS references: two words are rare, and only a has them. */
static void words_of_many_references_are_not_rare(void **state)
{
    (void)state;
    assert_true(lead_without(0) == 1);
    assert_true(lead_without(1) == 1);
}

/* The first word is in CLASS_RARE_REFS references: the others have one of three. */
static void words_are_rare_once_enough_references_are_removed(void **state)
{
    (void)state;
    assert_true(lead_without(2) == 2. / 3);
    assert_true(lead_without(3) == 2. / 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_of_many_references_are_not_rare),
        cmocka_unit_test(words_are_rare_once_enough_references_are_removed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
