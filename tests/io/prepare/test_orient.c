/*
 * test_orient.c - strands of artificial and of real sequences.
 */
#include "tests/support/unit_test.h"

#include "io/prepare/prepare.h"

#include "io/seq/fasta.h"
#include "io/seq/simulate.h"
#include "tests/support/made_gene.h"
#include "tests/support/spelled_set.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

enum { PATH_BYTES = 4096 };

static int8_t *strands_of(const seqset_t *set)
{
    int8_t *strand = malloc((size_t)set->n + 1), *by_pool = malloc((size_t)set->n + 1);
    pool_t *pool;

    assert_non_null(strand);
    assert_non_null(by_pool);
    assert_int_equal(pool_create(3, &pool), ST_OK);
    assert_int_equal(orient_find(set, NULL, strand), ST_OK);
    assert_int_equal(orient_find(set, pool, by_pool), ST_OK);
    assert_memory_equal(by_pool, strand, (size_t)set->n);
    pool_destroy(pool);
    free(by_pool);
    return strand;
}

static void every_ambiguity_code_is_complemented(void **state)
{
    seqset_t *set = spelled_set("a AACGT b ACGTRYKMBVDHSWN c A d GATTACA");

    (void)state;
    for (int64_t i = 0; i < 3; i++)
        orient_reverse_complement(set, i);
    assert_spells(set, "a ACGTT b NWSDHBVKMRYACGT c T d GATTACA");
    for (int64_t i = 0; i < 3; i++)
        orient_reverse_complement(set, i);
    assert_spells(set, "a AACGT b ACGTRYKMBVDHSWN c A d GATTACA");
    seqset_destroy(set);
}

/* Check the strand found for a set of one artificial sequence, and for its reverse
 * complement. */
static void assert_strand(const motif_t *motifs, int n, orient_strand_t want)
{
    seqset_builder_t builder = {0};
    rng_t rng = rng_seed(1);
    seqset_t *set;
    int8_t strand;

    made_gene_add(&builder, &rng, "x", motifs, n);
    assert_int_equal(seqset_builder_finish(&builder, &set), ST_OK);
    assert_int_equal(orient_find(set, NULL, &strand), ST_OK);
    assert_int_equal(strand, want);
    orient_reverse_complement(set, 0);
    assert_int_equal(orient_find(set, NULL, &strand), ST_OK);
    assert_int_equal(strand, -want);
    seqset_destroy(set);
}

static void two_motifs_at_their_distance_show_the_strand(void **state)
{
    const motif_t two[] = {made_515, made_787};
    const motif_t early[] = {{215, made_515.bases}, {487, made_787.bases}};
    const motif_t far[] = {made_515, {787 + 27 + 30, made_787.bases}};

    (void)state;
    assert_strand(two, 2, ORIENT_FORWARD);
    assert_strand(early, 2, ORIENT_FORWARD); /* a truncated gene */
    assert_strand(far, 2, ORIENT_FORWARD);   /* at the limit: 272 / 10 + 30 */
}

static void single_or_misplaced_motifs_show_no_strand(void **state)
{
    const motif_t too_far[] = {made_515, {787 + 27 + 31, made_787.bases}};
    const motif_t swapped[] = {{787, made_515.bases}, {515, made_787.bases}};

    (void)state;
    assert_strand(&made_515, 1, ORIENT_UNKNOWN);
    assert_strand(too_far, 2, ORIENT_UNKNOWN);
    assert_strand(swapped, 2, ORIENT_UNKNOWN);
    assert_strand(NULL, 0, ORIENT_UNKNOWN);
}

/* A gene followed by its own reverse complement. */
static void motifs_on_both_strands_show_no_strand(void **state)
{
    const motif_t two[] = {made_515, made_787};
    seqset_builder_t builder = {0};
    rng_t rng = rng_seed(1);
    seqset_t *set;
    int8_t strand;

    (void)state;
    made_gene_add(&builder, &rng, "x", two, 2);
    rng = rng_seed(1);
    made_gene_add(&builder, &rng, "y", two, 2);
    assert_int_equal(seqset_builder_finish(&builder, &set), ST_OK);
    orient_reverse_complement(set, 1);
    set->offset[1] = set->offset[2];
    set->n = 1;
    assert_int_equal(orient_find(set, NULL, &strand), ST_OK);
    assert_int_equal(strand, ORIENT_UNKNOWN);
    seqset_destroy(set);
}

static void assert_all_unknown(seqset_t *set)
{
    int8_t *strand = strands_of(set);

    for (int64_t i = 0; i < set->n; i++)
        assert_int_equal(strand[i], ORIENT_UNKNOWN);
    free(strand);
    seqset_destroy(set);
}

static void sequences_other_than_16s_have_no_known_strand(void **state)
{
    simulate_opts_t opts = simulate_defaults();
    seqset_builder_t builder = {0};
    rng_t rng = rng_seed(1);
    seqset_t *set;

    (void)state;
    for (int i = 0; i < 2000; i++)
        made_gene_add(&builder, &rng, "x", NULL, 0);
    assert_int_equal(seqset_builder_finish(&builder, &set), ST_OK);
    assert_all_unknown(set);
    opts.n = 300;
    assert_int_equal(simulate_make(&opts, &set), ST_OK);
    assert_all_unknown(set);
    assert_all_unknown(spelled_set("a A b N c ACGTACGTACGTACGTACGTACGTACGTACGT"));
    assert_all_unknown(spelled_set(""));
}

/* Truncate every nth sequence to bases begin..end-1; drop it if it is shorter. */
static seqset_t *cut(const seqset_t *set, int nth, int64_t begin, int64_t end)
{
    seqset_builder_t builder = {0};
    seqset_t *pieces;

    for (int64_t i = 0; i < set->n; i++) {
        int64_t len = seqset_len(set, i);
        int64_t from = i % nth == 0 ? begin : 0, to = i % nth == 0 ? end : len;

        to = to < len ? to : len;
        if (from < to)
            assert_int_equal(seqset_builder_add(&builder, "x", 1,
                                                seqset_letters(set, i) + from,
                                                (size_t)(to - from)),
                             ST_OK);
    }
    assert_int_equal(seqset_builder_finish(&builder, &pieces), ST_OK);
    return pieces;
}

/* Reverse-complement half of the sequences at random and find the strands; none may be
 * wrong. @return the number of right ones */
static int64_t count_right(seqset_t *set, const char *label)
{
    int8_t *truth = malloc((size_t)set->n + 1), *strand;
    int64_t n_right = 0, n_unknown = 0;
    rng_t rng = rng_seed(1);

    assert_non_null(truth);
    for (int64_t i = 0; i < set->n; i++) {
        truth[i] = rng_chance(&rng, 1, 2) ? ORIENT_REVERSE : ORIENT_FORWARD;
        if (truth[i] == ORIENT_REVERSE)
            orient_reverse_complement(set, i);
    }
    strand = strands_of(set);
    for (int64_t i = 0; i < set->n; i++) {
        n_right += strand[i] == truth[i];
        n_unknown += strand[i] == ORIENT_UNKNOWN;
    }
    print_message("%s: of %" PRId64 " %" PRId64 " right, %" PRId64 " unknown\n", label,
                  set->n, n_right, n_unknown);
    assert_int_equal(n_right + n_unknown, set->n); /* none is wrong */
    free(truth);
    free(strand);
    return n_right;
}

static seqset_t *real_set(const char *name)
{
    const char *data = getenv("RIBOGRID_DATA");
    const fasta_opts_t opts = {.skip_bad = true};
    char path[PATH_BYTES];
    seqset_t *set;

    snprintf(path, sizeof(path), "%s/16s/%s", data != NULL ? data : "", name);
    if (data == NULL || access(path, R_OK) != 0)
        skip();
    assert_int_equal(fasta_read(path, &opts, NULL, &set), ST_OK);
    return set;
}

static void no_real_gene_gets_the_wrong_strand(void **state)
{
    seqset_t *set = real_set("rdp_testDMtrain.fasta.gz");
    int8_t *strand = strands_of(set);

    (void)state;
    for (int64_t i = 0; i < set->n; i++)
        assert_int_equal(strand[i], ORIENT_FORWARD);
    assert_int_equal(count_right(set, "250 RDP genes"), set->n);
    free(strand);
    seqset_destroy(set);
}

/* All are V4, all are V1-V2, or every other one has 100 bases without two motifs. */
static void fragments_are_recognised_from_the_rest_of_the_set(void **state)
{
    static const struct {
        const char *label;
        int nth;
        int64_t begin, end;
    } cuts[] = {{"RDP bases 541-790", 1, 540, 790},
                {"RDP bases 21-320", 1, 20, 320},
                {"RDP bases 801-900, every other whole", 2, 800, 900}};
    seqset_t *set = real_set("rdp_trainset18.fasta.gz");

    (void)state;
    for (size_t k = 0; k < sizeof(cuts) / sizeof(cuts[0]); k++) {
        seqset_t *pieces = cut(set, cuts[k].nth, cuts[k].begin, cuts[k].end);

        assert_true(count_right(pieces, cuts[k].label) > pieces->n / 10 * 9);
        seqset_destroy(pieces);
    }
    assert_true(count_right(set, "RDP genes") > set->n / 1000 * 999);
    seqset_destroy(set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_ambiguity_code_is_complemented),
        cmocka_unit_test(two_motifs_at_their_distance_show_the_strand),
        cmocka_unit_test(single_or_misplaced_motifs_show_no_strand),
        cmocka_unit_test(motifs_on_both_strands_show_no_strand),
        cmocka_unit_test(sequences_other_than_16s_have_no_known_strand),
        cmocka_unit_test(no_real_gene_gets_the_wrong_strand),
        cmocka_unit_test(fragments_are_recognised_from_the_rest_of_the_set),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
