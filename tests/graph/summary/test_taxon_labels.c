/*
 * test_taxon_labels.c - unit tests of the names of taxa beside a heat map.
 */
#include "tests/support/unit_test.h"

#include "graph/summary/heat_map.h"
#include "tests/support/captured_log.h"

/* Check labels, as "name:begin-end name:begin-end ", of the sequences a, b, ... in this
 * order. */
static void assert_labels(const char *table, int n, int min_run, const char *want)
{
    char path[PATH_BYTES], got[256] = "", label[64];
    int32_t taxa[26], order[26];
    taxon_labels_t l;
    taxonomy_t *t = NULL;

    dir_file("table", path);
    dir_put(path, table, strlen(table));
    assert_int_equal(taxonomy_read(path, &t), ST_OK);
    unlink(path);
    for (int i = 0; i < n; i++) {
        taxa[i] = taxonomy_find(t, (char[]){(char)('a' + i), '\0'});
        order[i] = i;
    }
    assert_int_equal(taxon_labels_make(t, taxa, order, n, min_run, &l), ST_OK);
    for (int64_t k = 0; k < l.n; k++) {
        assert_int_equal(l.labels[k].otu, -1);
        snprintf(label, sizeof(label), "%s:%d-%d ", l.labels[k].taxon,
                 (int)l.labels[k].begin, (int)l.labels[k].end);
        strcat(got, label);
    }
    assert_string_equal(got, want);
    taxon_labels_free(&l);
    taxonomy_destroy(t);
}

static const char *const table = "a\tB;P;C;g__G\nb\tB;P;C;g__G\nc\tB;P;C;g__H\n"
                                 "d\tB;P;D;g__I\ne\tB;P;D;g__J\nf\tB;Q;E;g__K\n";

static void lowest_ranks_with_room_are_named_first(void **state)
{
    (void)state;
    assert_labels(table, 6, 1, "G:0-2 H:2-3 I:3-4 J:4-5 K:5-6 ");
    assert_labels(table, 6, 2, "G:0-2 D:3-5 ");
}

static void higher_ranks_are_named_where_no_lower_one_is(void **state)
{
    (void)state;
    assert_labels(table, 6, 3, "C:0-3 ");
    assert_labels(table, 6, 4, "P:0-5 ");
}

/* With names as in Greengenes, and with neither prefixes nor genera in names of species.
 */
static void species_are_named_by_their_genera(void **state)
{
    (void)state;
    assert_labels("a\tB;P;C;O;F;g__G;s__coli\nb\tB;P;C;O;F;g__G;s__typhi\n"
                  "c\tB;P;C;O;F;g__H;s__typhi\n",
                  3, 1, "G:0-2 H:2-3 ");
    assert_labels("a\tB;P;C;O;F;G;coli\nb\tB;P;C;O;F;G;typhi\nc\tB;P;C;O;F;H;H sp.\n", 3,
                  1, "H sp.:2-3 G:0-2 ");
}

static void domains_and_sequences_without_lineage_have_no_names(void **state)
{
    (void)state;
    assert_labels(table, 6, 6, "");
    assert_labels("a\tB\nb\tB\n", 4, 1, "");
    assert_labels(table, 0, 1, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lowest_ranks_with_room_are_named_first),
        cmocka_unit_test(higher_ranks_are_named_where_no_lower_one_is),
        cmocka_unit_test(species_are_named_by_their_genera),
        cmocka_unit_test(domains_and_sequences_without_lineage_have_no_names),
    };

    return cmocka_run_group_tests(tests, dir_make, dir_remove);
}
