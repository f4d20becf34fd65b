/*
 * test_export_clusters.c - clusters as uc: identities and alignments of members are those
 * of their pairs with the representative.
 */
#include "tests/support/unit_test.h"

#include <stdlib.h>

#include "io/export/export_file.h"
#include "tests/io/pairs/hits_fixture.h"

/* s2 stands for s0 and s1 for s3, one after and one before its member. */
static void assert_uc(const char *want)
{
    static const int32_t label[] = {0, 1, 0, 1, 4};
    static const int64_t sizes[] = {1, 1, 5, 1, 1};
    static const pairs_samples_t no_samples;
    pairs_file_t *file = open_result();
    otu_table_t *table = NULL;
    char *text = NULL;
    size_t len = 0;
    FILE *to = open_memstream(&text, &len);

    assert_non_null(to);
    assert_int_equal(otu_table_create(5, label, sizes, &no_samples, 1, &table), ST_OK);
    assert_int_equal(export_clusters_uc(file, table, to), ST_OK);
    assert_int_equal(fclose(to), 0);
    assert_string_equal(text, want);
    free(text);
    otu_table_destroy(table);
    pairs_close(file);
}

#define S0 "S\t0\t4002\t*\t*\t*\t*\t*\ts2\t*\n"
#define S1 "S\t1\t4001\t*\t*\t*\t*\t*\ts1\t*\n"
#define REST                                                            \
    "S\t2\t4004\t*\t*\t*\t*\t*\ts4\t*\nC\t0\t6\t*\t*\t*\t*\t*\ts2\t*\n" \
    "C\t1\t2\t*\t*\t*\t*\t*\ts1\t*\nC\t2\t1\t*\t*\t*\t*\t*\ts4\t*\n"

/* Of s0 and s2 3 of 7002 columns match, of s1 and s3 104 of 7103; the later one is two
 * bases longer.  D is a base of the member. */
static void members_have_the_alignment_with_their_representative(void **state)
{
    (void)state;
    write_result(5, PAIRS_N_CIGAR);
    assert_uc(S0 "H\t0\t4000\t0.0\t+\t0\t0\t4000M2I\ts0\ts2\n" S1
                 "H\t1\t4003\t1.5\t+\t0\t0\t4001M2D\ts3\ts1\n" REST);
}

static void without_alignments_identities_are_left(void **state)
{
    (void)state;
    write_result(5, PAIRS_N_IDENTITY);
    assert_uc(S0 "H\t0\t4000\t0.0\t+\t0\t0\t*\ts0\ts2\n" S1
                 "H\t1\t4003\t1.5\t+\t0\t0\t*\ts3\ts1\n" REST);
}

static void a_pair_that_is_no_hit_has_no_identity(void **state)
{
    seqset_t *set = numbered_set(5);
    tile_grid_t grid = tile_grid(set);
    pairs_head_t head = head_of(PAIRS_N_IDENTITY);

    (void)state;
    head.min_identity = (fraction_t){1, 100};
    write_hits(set, &grid, &head);
    seqset_destroy(set);
    assert_uc(S0 "H\t0\t4000\t*\t+\t0\t0\t*\ts0\ts2\n" S1
                 "H\t1\t4003\t1.5\t+\t0\t0\t*\ts3\ts1\n" REST);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(members_have_the_alignment_with_their_representative,
                                  results_forget),
        cmocka_unit_test_teardown(without_alignments_identities_are_left, results_forget),
        cmocka_unit_test_teardown(a_pair_that_is_no_hit_has_no_identity, results_forget),
    };

    return cmocka_run_group_tests(tests, results_make, dir_remove);
}
