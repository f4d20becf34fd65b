/*
 * test_seqset.c - building, filtering and digesting sequence sets.
 */
#include "tests/support/unit_test.h"

#include "io/seq/seqset.h"
#include "tests/support/sent_object.h"

#include <string.h>

typedef struct {
    const char *name;
    const char *letters; /* codes 1 to 15 as characters */
} record_t;

static seqset_t *set_of(const record_t *records, int n)
{
    seqset_builder_t builder = {0};
    seqset_t *set = NULL;

    for (int i = 0; i < n; i++)
        assert_int_equal(seqset_builder_add(&builder, records[i].name,
                                            strlen(records[i].name),
                                            (const uint8_t *)records[i].letters,
                                            strlen(records[i].letters)),
                         ST_OK);
    assert_int_equal(seqset_builder_finish(&builder, &set), ST_OK);
    assert_int_equal(builder.n, 0);
    assert_int_equal(builder.letters.len + builder.names.len + builder.offsets.len +
                         builder.name_offsets.len,
                     0);
    seqset_builder_free(&builder);
    return set;
}

static uint64_t digest_of(const record_t *records, int n)
{
    seqset_t *set = set_of(records, n);
    uint64_t digest = seqset_digest(set);

    seqset_destroy(set);
    return digest;
}

static const record_t abc[] = {{"a", "\1\2"}, {"bee", "\4\10\17"}, {"c", "\1"}};

static void records_come_back_in_order(void **state)
{
    seqset_t *set = set_of(abc, 3);

    (void)state;
    assert_int_equal(set->n, 3);
    assert_int_equal(set->offset[0], 0);
    assert_int_equal(set->offset[3], 2 + 3 + 1);
    assert_int_equal(set->name_offset[3], 2 + 4 + 2);
    for (int i = 0; i < 3; i++) {
        assert_string_equal(seqset_name(set, i), abc[i].name);
        assert_int_equal(seqset_len(set, i), strlen(abc[i].letters));
        assert_memory_equal(seqset_letters(set, i), abc[i].letters,
                            strlen(abc[i].letters));
    }
    assert_int_equal(seqset_max_len(set), 3);
    seqset_destroy(set);
}

static void kept_sequences_keep_their_order_names_and_bases(void **state)
{
    static const int32_t kept[] = {1, 2};
    seqset_t *set = set_of(abc, 3), *want = set_of(abc + 1, 2);

    (void)state;
    seqset_keep(set, kept, 2);
    assert_int_equal(seqset_digest(set), seqset_digest(want));
    seqset_keep(set, kept, 0);
    assert_int_equal(set->n, 0);
    assert_int_equal(set->offset[0], 0);
    seqset_destroy(set);
    seqset_destroy(want);
}

static void an_empty_set_has_arrays_and_no_longest_sequence(void **state)
{
    seqset_t *set = set_of(NULL, 0);

    (void)state;
    assert_int_equal(set->n, 0);
    assert_non_null(set->letters);
    assert_non_null(set->names);
    assert_int_equal(set->offset[0], 0);
    assert_int_equal(set->name_offset[0], 0);
    assert_int_equal(seqset_max_len(set), 0);
    seqset_destroy(set);
}

static void equal_sets_have_equal_digests(void **state)
{
    seqset_t *built = set_of(abc, 3), *received = NULL;

    (void)state;
    assert_int_equal(seqset_create(3, 6, 8, &received), ST_OK);
    memcpy(received->letters, built->letters, 6);
    memcpy(received->offset, built->offset, 4 * sizeof(*built->offset));
    memcpy(received->names, built->names, 8);
    memcpy(received->name_offset, built->name_offset, 4 * sizeof(*built->name_offset));
    assert_true(seqset_digest(received) == seqset_digest(built));
    seqset_destroy(received);
    seqset_destroy(built);
}

static void different_names_have_different_digests(void **state)
{
    const record_t other[] = {{"a", "\1\2"}, {"bea", "\4\10\17"}, {"c", "\1"}};
    const record_t moved[] = {{"ab", "\1\2"}, {"ee", "\4\10\17"}, {"c", "\1"}};

    (void)state;
    assert_true(digest_of(other, 3) != digest_of(abc, 3));
    assert_true(digest_of(moved, 3) != digest_of(abc, 3));
}

static void different_bases_have_different_digests(void **state)
{
    const record_t other[] = {{"a", "\1\2"}, {"bee", "\4\10\17"}, {"c", "\2"}};

    (void)state;
    assert_true(digest_of(other, 3) != digest_of(abc, 3));
}

static void different_sequence_boundaries_have_different_digests(void **state)
{
    const record_t moved[] = {{"a", "\1"}, {"bee", "\2\4\10\17"}, {"c", "\1"}};

    (void)state;
    assert_true(digest_of(moved, 3) != digest_of(abc, 3));
}

static void different_numbers_and_orders_of_records_have_different_digests(void **state)
{
    const record_t reversed[] = {{"c", "\1"}, {"bee", "\4\10\17"}, {"a", "\1\2"}};

    (void)state;
    assert_true(digest_of(reversed, 3) != digest_of(abc, 3));
    assert_true(digest_of(abc, 2) != digest_of(abc, 3));
    assert_true(digest_of(abc, 0) != digest_of(abc, 1));
}

static void a_builder_can_be_discarded(void **state)
{
    seqset_builder_t builder = {0};

    (void)state;
    assert_int_equal(seqset_builder_add(&builder, "a", 1, (const uint8_t *)"\1", 1),
                     ST_OK);
    seqset_builder_free(&builder);
    assert_int_equal(builder.n, 0);
    seqset_destroy(NULL);
}

static void a_name_has_the_given_length(void **state)
{
    seqset_builder_t builder = {0};
    seqset_t *set = NULL;

    (void)state;
    assert_int_equal(seqset_builder_add(&builder, "first rest", 5, (const uint8_t *)"\1",
                                        1),
                     ST_OK);
    assert_int_equal(seqset_builder_finish(&builder, &set), ST_OK);
    assert_string_equal(seqset_name(set, 0), "first");
    seqset_destroy(set);
}

static void a_letter_that_is_no_code(void *object)
{
    const seqset_t *set = object;

    set->letters[2] = DNA_SIZE;
}

static void a_sequence_that_ends_before_it_begins(void *object)
{
    const seqset_t *set = object;

    set->offset[1] = 9;
}

static void a_sequence_before_the_set(void *object)
{
    const seqset_t *set = object;

    set->offset[0] = -1;
}

static void a_name_beyond_the_names(void *object)
{
    const seqset_t *set = object;

    set->name_offset[1] = 1000;
}

static void a_name_without_an_end(void *object)
{
    const seqset_t *set = object;

    set->names[set->name_offset[1] - 1] = 'x';
}

static void an_impossible_set_from_elsewhere_is_refused(void **state)
{
    void (*const changes[])(void *) = {NULL,
                                       a_letter_that_is_no_code,
                                       a_sequence_that_ends_before_it_begins,
                                       a_sequence_before_the_set,
                                       a_name_beyond_the_names,
                                       a_name_without_an_end};

    (void)state;
    for (size_t i = 0; i < sizeof(changes) / sizeof(*changes); i++) {
        seqset_t *set = set_of(abc, 3);

        assert_int_equal(send_changed(&seqset_arrays, set, changes[i]),
                         i == 0 ? ST_OK : ST_EINPUT);
        seqset_destroy(set);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_come_back_in_order),
        cmocka_unit_test(kept_sequences_keep_their_order_names_and_bases),
        cmocka_unit_test(an_empty_set_has_arrays_and_no_longest_sequence),
        cmocka_unit_test(equal_sets_have_equal_digests),
        cmocka_unit_test(different_names_have_different_digests),
        cmocka_unit_test(different_bases_have_different_digests),
        cmocka_unit_test(different_sequence_boundaries_have_different_digests),
        cmocka_unit_test(different_numbers_and_orders_of_records_have_different_digests),
        cmocka_unit_test(a_builder_can_be_discarded),
        cmocka_unit_test(a_name_has_the_given_length),
        cmocka_unit_test(an_impossible_set_from_elsewhere_is_refused),
    };

    return cmocka_run_group_tests(tests, dir_make, dir_remove);
}
