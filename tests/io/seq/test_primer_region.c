/*
 * test_primer_region.c - primers with ambiguity codes, found in genes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "io/seq/primer_region.h"
#include "tests/support/spelled_set.h"

/* Find the region of one gene. @return whether it was found */
static bool find(const char *text, int max_mismatches, const char *gene,
                 primer_hit_t *out)
{
    seqset_t *set = spelled_set(gene);
    primer_region_t region;
    bool found;

    assert_true(primer_region_parse(text, &region));
    assert_int_equal(region.max_mismatches, 0);
    region.max_mismatches = max_mismatches;
    found = primer_region_find(&region, seqset_letters(set, 0), seqset_len(set, 0), out);
    seqset_destroy(set);
    return found;
}

/* The reverse primer is CCRT; the gene has its reverse complement, AYGG. */
static const char primers[] = "ACRT/CCRT";

static void assert_region(const char *gene, int64_t first, int64_t last)
{
    primer_hit_t hit;

    assert_int_equal(find(primers, 0, gene, &hit), first >= 0);
    if (first < 0)
        return;
    assert_int_equal(hit.begin, first);
    assert_int_equal(hit.end, last);
    assert_int_equal(hit.n_mismatches, 0);
}

static void the_region_is_between_the_primers(void **state)
{
    (void)state;
    assert_region("g TTACATGGGGACGGTT", 6, 10);
    assert_region("g ACGTCATGG", 4, 5);
    assert_region("g ACGTCATGGACGGACGTATGG", 4, 5);
}

/* R in the gene is A or G, both of which the primer has; N is not. */
static void ambiguous_bases_match_what_covers_them(void **state)
{
    (void)state;
    assert_region("g ACRTCATGG", 4, 5);
    assert_region("g ACNTCATGG", -1, -1);
}

static void genes_without_both_primers_have_no_region(void **state)
{
    (void)state;
    assert_region("g TTACATGGGG", -1, -1);
    assert_region("g CATGGACGT", -1, -1);
    assert_region("g ACGTATGG", -1, -1); /* nothing between them */
    assert_region("g ACG", -1, -1);
}

static void assert_found(int max_mismatches, const char *gene, int64_t begin, int64_t end,
                         int n_mismatches)
{
    primer_hit_t hit;

    assert_true(find("ACGTACGT/AAAACCCC", max_mismatches, gene, &hit));
    assert_int_equal(hit.begin, begin);
    assert_int_equal(hit.end, end);
    assert_int_equal(hit.n_mismatches, n_mismatches);
}

/* The gene has GGGGTTTT at the end of the region. */
static void mismatches_are_allowed_in_each_primer(void **state)
{
    primer_hit_t hit;

    (void)state;
    assert_found(0, "g ACGTACGTCAGGGGTTTT", 8, 10, 0);
    assert_found(1, "g ACGTTCGTCAGGGGATTT", 8, 10, 2);
    assert_false(find("ACGTACGT/AAAACCCC", 1, "g ACGTTCCTCAGGGGTTTT", &hit));
    assert_found(2, "g ACGTTCCTCAGGGGTTTT", 8, 10, 2);
}

static void fewest_mismatches_win_then_the_first_place(void **state)
{
    (void)state;
    /* one mismatch at 0, none at 10 */
    assert_found(1, "g ACGTACGAGGACGTACGTCAGGGGTTTT", 18, 20, 0);
    /* one mismatch at 0 and at 10 */
    assert_found(1, "g ACGTACGAGGACGTACGACAGGGGTTTT", 8, 20, 1);
    /* of the reverse primer, one at 10 and none at 20 */
    assert_found(1, "g ACGTACGTCAGGGGTTTACAGGGGTTTT", 8, 20, 0);
}

static void primers_have_names_or_bases(void **state)
{
    primer_region_t named, spelled;

    (void)state;
    assert_true(primer_region_parse("515F/806R", &named));
    assert_true(
        primer_region_parse("GTGYCAGCMGCCGCGGTAA/GGACTACNVGGGTWTCTAAT", &spelled));
    assert_int_equal(named.forward_len, 19);
    assert_int_equal(named.reverse_len, 20);
    assert_memory_equal(named.forward, spelled.forward, 19);
    assert_memory_equal(named.reverse, spelled.reverse, 20);
    assert_false(primer_region_parse("515F", &named));
    assert_false(primer_region_parse("515F/", &named));
    assert_false(primer_region_parse("/806R", &named));
    assert_false(primer_region_parse("515G/806R", &named));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_region_is_between_the_primers),
        cmocka_unit_test(ambiguous_bases_match_what_covers_them),
        cmocka_unit_test(genes_without_both_primers_have_no_region),
        cmocka_unit_test(mismatches_are_allowed_in_each_primer),
        cmocka_unit_test(fewest_mismatches_win_then_the_first_place),
        cmocka_unit_test(primers_have_names_or_bases),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
