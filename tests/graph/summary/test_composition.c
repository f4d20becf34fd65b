/*
 * test_composition.c - ranks of lineages, and reads counted by taxon and sample.
 */
#include "tests/support/unit_test.h"

#include "graph/summary/composition.h"

#include <stdlib.h>
#include <string.h>

static composition_rank_t rank_of(const char *text)
{
    composition_rank_t rank;

    assert_true(composition_rank_parse(text, &rank));
    return rank;
}

static void assert_taxon(const char *lineage, const char *rank, const char *want)
{
    const size_t len = composition_taxon_len(lineage, rank_of(rank));

    assert_int_equal(len, strlen(want));
    assert_memory_equal(lineage, want, len);
}

static void ranks_are_names_or_numbers(void **state)
{
    composition_rank_t rank;

    (void)state;
    assert_int_equal(rank_of("genus").number, 6);
    assert_int_equal(rank_of("12").number, 12);
    assert_false(composition_rank_parse("", &rank));
    assert_false(composition_rank_parse("0", &rank));
    assert_false(composition_rank_parse("-1", &rank));
    assert_false(composition_rank_parse("2x", &rank));
    assert_false(composition_rank_parse("genera", &rank));
    assert_false(composition_rank_parse("99999999999999999999", &rank));
}

static void a_rank_is_a_position_or_a_prefix(void **state)
{
    (void)state;
    assert_taxon("Bacteria;Firmicutes;Bacilli", "phylum", "Bacteria;Firmicutes");
    assert_taxon("Bacteria;Firmicutes;Bacilli", "3", "Bacteria;Firmicutes;Bacilli");
    assert_taxon("Bacteria;Firmicutes", "genus", "");
    assert_taxon("Root;Bacteria;Firmicutes", "phylum", "Root;Bacteria;Firmicutes");
    assert_taxon("Root;Bacteria;Firmicutes", "2", "Root;Bacteria");
    assert_taxon("k__Bacteria;c__Bacilli;g__Bacillus", "genus",
                 "k__Bacteria;c__Bacilli;g__Bacillus");
    assert_taxon("k__Bacteria;c__Bacilli;g__Bacillus", "phylum", "");
    assert_taxon("k__Bacteria;c__Bacilli", "domain", "k__Bacteria");
    assert_taxon("d__Bacteria;c__Bacilli", "kingdom", "d__Bacteria");
    assert_taxon("k__Bacteria;c__Bacilli", "2", "k__Bacteria;c__Bacilli");
}

/* Names of reads: a lineage each, "" for none. */
static class_names_t make_names(const char *const *lineages, int n)
{
    class_names_t names = {0};
    seqset_builder_t builder = {0};
    const uint8_t base = CODE_N;

    names.lineage_of = malloc((size_t)n * sizeof(*names.lineage_of));
    assert_non_null(names.lineage_of);
    for (int i = 0; i < n; i++) {
        int64_t number = -1;

        if (*lineages[i] != '\0')
            assert_int_equal(name_table_add(&names.lineages, lineages[i],
                                            strlen(lineages[i]), &number, NULL),
                             ST_OK);
        names.lineage_of[i] = (int32_t)number;
        assert_int_equal(seqset_builder_add(&builder, "r", 1, &base, 1), ST_OK);
    }
    assert_int_equal(seqset_builder_finish(&builder, &names.reads), ST_OK);
    return names;
}

static const char *const lineages[] = {"A;B;x", "A;B;y", "A;C", "", "A", "A;D", "E;B"};
enum { N_READS = sizeof(lineages) / sizeof(lineages[0]) };

/* A;B has 3 + 1 reads, E;B 4, A;C 2 and A;D 1; none have 5 + 7. */
static void the_largest_taxa_come_first(void **state)
{
    class_names_t names = make_names(lineages, N_READS);
    int64_t size[] = {3, 1, 2, 5, 7, 1, 4};
    const abundance_t reads = {.size = size};
    const int64_t want[] = {4, 4, 3, 12};
    composition_t c;

    (void)state;
    assert_int_equal(composition_make(&names, &reads, rank_of("2"), 2, &c), ST_OK);
    assert_int_equal(c.n_taxa, 4);
    assert_int_equal(c.n_shown, 2);
    assert_string_equal(c.taxa[0], "A;B"); /* a tie: the first to occur */
    assert_string_equal(c.taxa[1], "E;B");
    assert_int_equal(c.n_samples, 1);
    assert_memory_equal(c.counts, want, sizeof(want));
    composition_free(&c);
    assert_int_equal(composition_make(&names, &reads, rank_of("9"), 2, &c), ST_OK);
    assert_int_equal(c.n_shown, 0);
    assert_int_equal(c.counts[1], 23);
    composition_free(&c);
    class_names_free(&names);
}

static void reads_are_counted_by_sample(void **state)
{
    class_names_t names = make_names(lineages, N_READS);
    int64_t size[] = {3, 1, 1, 1, 1, 1, 1}, number;
    abundance_t reads = {.size = size};
    const abundance_count_t counts[] = {{0, 0, 1}, {0, 1, 2}, {1, 1, 1}, {2, 0, 1},
                                        {3, 1, 1}, {4, 0, 1}, {5, 1, 1}, {6, 1, 1}};
    const int64_t want[][2] = {{1, 3}, {1, 0}, {0, 1}, {0, 1}, {0, 0}, {1, 1}};
    composition_t c;

    (void)state;
    assert_int_equal(name_table_add(&reads.samples, "one", 3, &number, NULL), ST_OK);
    assert_int_equal(name_table_add(&reads.samples, "two", 3, &number, NULL), ST_OK);
    assert_int_equal(buf_append(&reads.counts, counts, sizeof(counts)), ST_OK);
    assert_int_equal(composition_make(&names, &reads, rank_of("2"), 10, &c), ST_OK);
    assert_int_equal(c.n_samples, 2);
    assert_int_equal(c.n_shown, 4);
    assert_memory_equal(c.counts, want, sizeof(want));
    composition_free(&c);
    name_table_free(&reads.samples);
    buf_free(&reads.counts);
    class_names_free(&names);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_are_names_or_numbers),
        cmocka_unit_test(a_rank_is_a_position_or_a_prefix),
        cmocka_unit_test(the_largest_taxa_come_first),
        cmocka_unit_test(reads_are_counted_by_sample),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
