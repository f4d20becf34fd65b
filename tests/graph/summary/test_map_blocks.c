/*
 * test_map_blocks.c - which OTUs a heat map shows, and in which order.
 */
#include "tests/support/unit_test.h"

#include "graph/summary/heat_map.h"

#include <string.h>

/*
 * Check the sequences that are shown, letters from a, blocks separated by blanks.
 *
 * @param otus   the OTU of each sequence, a digit; '-': none
 * @param order  all sequences
 */
static void assert_shown(const char *otus, const char *order, int64_t min_sequences,
                         const char *want)
{
    static const pairs_samples_t no_samples;
    int32_t label[26], sequences[26];
    const int64_t n = (int64_t)strlen(otus);
    char got[64] = "";
    otu_table_t *table = NULL;
    map_blocks_t b;

    for (int64_t i = 0; i < n; i++) {
        label[i] = otus[i] == '-' ? -1 : (int32_t)(strchr(otus, otus[i]) - otus);
        sequences[i] = order[i] - 'a';
    }
    assert_int_equal(otu_table_create(n, label, NULL, &no_samples, 1, &table), ST_OK);
    assert_int_equal(map_blocks_make(table, sequences, min_sequences, &b), ST_OK);
    for (int64_t k = 0; k < b.n_blocks; k++) {
        assert_int_equal(b.blocks[k].begin, k == 0 ? 0 : b.blocks[k - 1].end);
        for (int64_t at = b.blocks[k].begin; at < b.blocks[k].end; at++) {
            assert_int_equal(table->otu[b.order[at]], b.blocks[k].otu);
            strcat(got, (char[]){(char)('a' + b.order[at]), '\0'});
        }
        strcat(got, " ");
    }
    assert_int_equal(b.n, n == 0 || b.n_blocks == 0 ? 0 : b.blocks[b.n_blocks - 1].end);
    assert_string_equal(got, want);
    map_blocks_free(&b);
    otu_table_destroy(table);
}

static void otus_come_as_their_first_sequences_and_keep_the_order_of_these(void **state)
{
    (void)state;
    assert_shown("11222", "ecbda", 5, "ecd ba ");
}

static void sequences_without_an_otu_are_not_shown(void **state)
{
    (void)state;
    assert_shown("1-122", "abcde", 5, "ac de ");
    assert_shown("---", "abc", 3, "");
}

/* A block of three and k single ones fill 9 + k of (3 + k)^2: 20 of 196 is more than a
 * tenth, 21 of 225 is less. */
static void largest_otus_are_shown_while_they_fill_a_tenth(void **state)
{
    (void)state;
    assert_shown("aaabcdefghijklmnopqrst", "abcdefghijklmnopqrstuv", 0,
                 "abc d e f g h i j k l m n ");
}

static void a_minimum_of_sequences_is_shown_in_any_case(void **state)
{
    (void)state;
    assert_shown("aaabcdefghijklmnopqrst", "abcdefghijklmnopqrstuv", 16,
                 "abc d e f g h i j k l m n o p ");
    assert_shown("aaabcdefghijklmnopqrst", "vutsrqponmlkjihgfedcba", 4,
                 "n m l k j i h g f e d cba ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(otus_come_as_their_first_sequences_and_keep_the_order_of_these),
        cmocka_unit_test(sequences_without_an_otu_are_not_shown),
        cmocka_unit_test(largest_otus_are_shown_while_they_fill_a_tenth),
        cmocka_unit_test(a_minimum_of_sequences_is_shown_in_any_case),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
