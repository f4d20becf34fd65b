/*
 * test_primer_cut.c - primers with ambiguity codes, found in genes, on either strand.
 */
#include "tests/support/unit_test.h"

#include "kernels/primers/search/primer_cut.h"
#include "tests/support/pool_fixture.h"
#include "tests/support/spelled_set.h"

/* Find the region of one gene. @return whether it was found */
static bool find(const char *text, int max_mismatches, const char *gene,
                 primer_cut_t *out)
{
    const primer_trim_t o = {.text = text, .max_mismatches = max_mismatches};
    seqset_t *set = spelled_set(gene);
    primer_cut_t *cuts;

    assert_int_equal(primer_cut_find(&o, set, NULL, &cuts), ST_OK);
    *out = cuts[0];
    free(cuts);
    seqset_destroy(set);
    return out->end > 0;
}

/* The reverse primer is CCRT; the gene has its reverse complement, AYGG. */
static const char primers[] = "ACRT/CCRT";

static void assert_region(const char *gene, int64_t first, int64_t last)
{
    primer_cut_t hit;

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
    primer_cut_t hit;

    assert_true(find("ACGTACGT/AAAACCCC", max_mismatches, gene, &hit));
    assert_int_equal(hit.begin, begin);
    assert_int_equal(hit.end, end);
    assert_int_equal(hit.n_mismatches, n_mismatches);
}

/* The gene has GGGGTTTT at the end of the region. */
static void mismatches_are_allowed_in_each_primer(void **state)
{
    primer_cut_t hit;

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

/* Forward, the genes have one mismatch in each primer; then the strand with fewer. */
static void the_strand_with_fewer_mismatches_wins(void **state)
{
    static const char turned[] = "ACGTCA/AACCCC";
    primer_cut_t cut;

    (void)state;
    assert_true(find(turned, 1, "g ACGTCTGAGGGGTATTAACCCCTTTGACGT", &cut));
    assert_true(cut.is_reversed);
    assert_int_equal(cut.begin, 6);
    assert_int_equal(cut.end, 8);
    assert_int_equal(cut.n_mismatches, 0);
    assert_true(find(turned, 1, "g ACGTCTGAGGGGTATTAACCCTTTTTACGT", &cut));
    assert_false(cut.is_reversed);
    assert_int_equal(cut.n_mismatches, 2);
}

/* On the reverse strand, too, the first of equal places is taken, which is the last one
 * of the record: places of TGACGT at 12 and 20, and of AACCCC at 0 and 6 before it. */
static void ties_on_the_reverse_strand_are_broken_along_it(void **state)
{
    primer_cut_t cut;

    (void)state;
    assert_true(find("ACGTCA/AACCCC", 0, "g AACCCCAACCCCCTTGACGTTGACGT", &cut));
    assert_true(cut.is_reversed);
    assert_int_equal(cut.begin, 6);
    assert_int_equal(cut.end, 14);
}

static void nothing_is_found_without_primers_or_in_proteins(void **state)
{
    const primer_trim_t none = {.text = NULL};
    const primer_trim_t some = {.text = "ACG/ACG"};
    seqset_t *set = spelled_set("g ACGTCGT");
    primer_cut_t *cuts;

    (void)state;
    assert_int_equal(primer_cut_find(&none, set, NULL, &cuts), ST_OK);
    assert_null(cuts);
    set->alphabet = ALPHABET_PROTEIN;
    assert_int_equal(primer_cut_find(&some, set, NULL, &cuts), ST_OK);
    assert_int_equal(cuts[0].end, 0);
    free(cuts);
    seqset_destroy(set);
}

/* Gene i has i % 7 bases before the forward primer; every third one has none. */
static void threads_find_what_one_finds(void **state)
{
    enum { N_GENES = 5000 };
    const primer_trim_t o = {.text = primers};
    buf_t text = {0};
    seqset_t *set;
    primer_cut_t *cuts;

    (void)state;
    for (int i = 0; i < N_GENES; i++)
        assert_int_equal(buf_printf(&text, "g %.*s%s ", i % 7, "TTTTTTT",
                                    i % 3 > 0 ? "ACATGGGGACGG" : "ACATGGGGACG"),
                         ST_OK);
    text.data[text.len - 1] = '\0';
    set = spelled_set((const char *)text.data);
    assert_int_equal(primer_cut_find(&o, set, pool, &cuts), ST_OK);
    for (int i = 0; i < N_GENES; i++) {
        assert_int_equal(cuts[i].begin, i % 3 > 0 ? i % 7 + 4 : 0);
        assert_int_equal(cuts[i].end, i % 3 > 0 ? i % 7 + 8 : 0);
    }
    free(cuts);
    seqset_destroy(set);
    buf_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_region_is_between_the_primers),
        cmocka_unit_test(ambiguous_bases_match_what_covers_them),
        cmocka_unit_test(genes_without_both_primers_have_no_region),
        cmocka_unit_test(mismatches_are_allowed_in_each_primer),
        cmocka_unit_test(fewest_mismatches_win_then_the_first_place),
        cmocka_unit_test(the_strand_with_fewer_mismatches_wins),
        cmocka_unit_test(ties_on_the_reverse_strand_are_broken_along_it),
        cmocka_unit_test(threads_find_what_one_finds),
        cmocka_unit_test(nothing_is_found_without_primers_or_in_proteins),
    };

    return cmocka_run_group_tests(tests, pool_fixture_start, pool_fixture_stop);
}
