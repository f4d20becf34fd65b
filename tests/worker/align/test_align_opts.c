/*
 * test_align_opts.c - tests that options of the job "align" are completed, and refused
 * where they exclude each other.
 */
#include "tests/support/unit_test.h"

#include "worker/align/align_opts.h"

#include <string.h>

static const char *const input = "in.fa";
static align_opts_t opts;

/* The defaults, as a front end has them before its user's options. */
static void start(void)
{
    opts = align_opts_defaults();
    opts.inputs = (seq_inputs_t){.paths = &input, .n = 1};
    opts.common.output = "out.h5";
}

static void assert_settled(void)
{
    char why[JOB_OPTS_WHY_BYTES] = "";

    if (align_opts_settle(&opts.common, why) != ST_OK)
        fail_msg("refused: %s", why);
}

static void assert_refused(const char *expected)
{
    char why[JOB_OPTS_WHY_BYTES] = "";

    assert_int_equal(align_opts_settle(&opts.common, why), ST_EUSAGE);
    if (strstr(why, expected) == NULL)
        fail_msg("'%s' does not contain '%s'", why, expected);
}

static void options_of_an_earlier_result_are_settled_when_they_are_known(void **state)
{
    char why[JOB_OPTS_WHY_BYTES] = "";

    (void)state;
    start();
    opts.extend = "old.h5";
    GIVE(&opts, cigar_style, CIGAR_STYLE_EQX); /* which needs emit */
    assert_settled();
    assert_true(opts.inputs.follow);
    GIVE(&opts, emit, EMIT_CIGAR);
    assert_int_equal(opts.match, 2 * 4); /* in halves still */
    assert_int_equal(align_opts_settle_job(&opts, why), ST_OK);
    assert_int_equal(opts.match, 4);
}

static void options_that_are_not_given_get_their_defaults(void **state)
{
    (void)state;
    start();
    assert_settled();
    assert_int_equal(opts.emit, EMIT_IDENTITY);
    assert_int_equal(opts.cigar_style, CIGAR_STYLE_M);
    assert_int_equal(opts.strand, STRAND_PLUS);
    assert_int_equal(opts.iddef, IDENTITY_INNER_COLUMNS);
    assert_int_equal(opts.min_overlap.denominator, 2);
    assert_int_equal(opts.ambiguity, AMBIGUITY_N_MISMATCH);
    assert_int_equal(opts.match, 4);
    assert_int_equal(opts.mismatch, -5);
    assert_int_equal(opts.gap, -7);
    assert_int_equal(opts.gap_open, 7);
    assert_int_equal(opts.gap_extend, 7);
    assert_int_equal(opts.ends, ENDS_FREE);
    assert_int_equal(opts.end_gap_open, 0);
    assert_int_equal(opts.end_gap_extend, 0);
    assert_int_equal(opts.batch_bytes, 0);
    assert_int_equal(opts.device_bytes, 0);
    start();
    GIVE(&opts, ends, ENDS_COUNT);
    assert_settled();
    assert_int_equal(opts.iddef, IDENTITY_ALL_COLUMNS);
}

/* Scores are given in halves. */
static void scores_stay_in_halves_if_one_of_them_is_no_whole_number(void **state)
{
    score_matrix_t matrix = {.score = {[1] = {[1] = 5}}};
    align_spec_t spec = {.emit = EMIT_SCORE};

    (void)state;
    start();
    GIVE(&opts, gap_open, 20);
    GIVE(&opts, gap_extend, 1);
    assert_settled();
    assert_int_equal(opts.score_unit, SCORE_UNIT_HALF);
    assert_int_equal(opts.match, 8);
    assert_int_equal(opts.mismatch, -10);
    assert_int_equal(opts.gap_open, 20);
    assert_int_equal(opts.gap_extend, 1);
    align_opts_set_scores(&opts, &matrix, &spec);
    assert_int_equal(spec.scoring.score[1][1], 10);
    assert_int_equal(spec.scoring.gap, -1);
    start();
    GIVE(&opts, gap_open, 20);
    GIVE(&opts, gap_extend, 2);
    assert_settled();
    assert_int_equal(opts.score_unit, SCORE_UNIT_ONE);
    assert_int_equal(opts.match, 4);
    assert_int_equal(opts.gap_extend, 1);
    align_opts_set_scores(&opts, &matrix, &spec);
    assert_int_equal(spec.scoring.score[1][1], 5);
}

static void options_that_are_given_are_kept(void **state)
{
    (void)state;
    start();
    GIVE(&opts, match, 2);
    GIVE(&opts, mismatch, -2);
    GIVE(&opts, iddef, IDENTITY_CDHIT);
    GIVE(&opts, min_overlap, ((fraction_t){1, 4}));
    assert_settled();
    assert_int_equal(opts.match, 1);
    assert_int_equal(opts.mismatch, -1);
    assert_int_equal(opts.iddef, IDENTITY_CDHIT);
    assert_int_equal(opts.min_overlap.denominator, 4);
    assert_false(opts.prepare.both_strands);
    start();
    opts.against = "ref.fa";
    GIVE(&opts, strand, STRAND_BOTH);
    assert_settled();
    assert_true(opts.prepare.both_strands);
}

static void options_that_exclude_each_other_are_refused_by_name(void **state)
{
    (void)state;
    start();
    opts.common.output = NULL;
    assert_refused("-o PAIRS.h5");
    start();
    opts.common.force = opts.common.resume = true;
    assert_refused("--force or --resume");
    start();
    opts.matrix = "x.matrix";
    GIVE(&opts, match, 8); /* the default, but given */
    assert_refused("--matrix replaces --match");
    start();
    opts.top = 1;
    assert_refused("--top and --strand need --against");
    start();
    opts.centroids = CENTROIDS_BY_ABUNDANCE;
    assert_refused("--centroids needs --id");
    start();
    opts.centroids = CENTROIDS_BY_LENGTH;
    opts.min_identity = (fraction_t){97, 100};
    opts.against = "ref.fa";
    assert_refused("--centroids is for all pairs");
    start();
    opts.references.skip_bad = true;
    assert_refused("--skip-bad-references and --degap-references need --against");
    start();
    opts.emit = EMIT_SCORE;
    opts.min_identity = (fraction_t){9, 10};
    assert_refused("--id needs identities");
    start();
    GIVE(&opts, mismatch, 8);
    assert_refused("--match must be more than --mismatch");
    start();
    opts.prepare.labels.sizes = true;
    opts.prepare.samples = "samples";
    assert_refused("--sizein");
}

static void costs_of_gaps_agree_with_scores_and_ends(void **state)
{
    (void)state;
    start();
    GIVE(&opts, gap_open, 40);
    GIVE(&opts, gap_extend, 4);
    assert_settled();
    assert_int_equal(opts.gap, -2);
    assert_int_equal(opts.ends, ENDS_FREE);
    start();
    GIVE(&opts, gap_open, 18);
    GIVE(&opts, gap_extend, 18);
    GIVE(&opts, end_gap_open, 18);
    GIVE(&opts, end_gap_extend, 18); /* the same as inside */
    assert_settled();
    assert_int_equal(opts.gap, -9);
    assert_int_equal(opts.ends, ENDS_COUNT);
    assert_int_equal(opts.iddef, IDENTITY_ALL_COLUMNS);
    assert_int_equal(opts.end_gap_open, 0);
    start();
    GIVE(&opts, end_gap_open, 14);
    GIVE(&opts, end_gap_extend, 14); /* the default inside */
    assert_settled();
    assert_int_equal(opts.ends, ENDS_COUNT);
    start();
    GIVE(&opts, end_gap_open, 0);
    GIVE(&opts, end_gap_extend, 0);
    assert_settled();
    assert_int_equal(opts.ends, ENDS_FREE);
    start();
    GIVE(&opts, end_gap_open, 4);
    GIVE(&opts, end_gap_extend, 0);
    GIVE(&opts, min_overlap, ((fraction_t){1, 4}));
    assert_settled();
    assert_int_equal(opts.ends, ENDS_PRICED);
    assert_int_equal(opts.end_gap_open, 2);
    assert_int_equal(opts.iddef, IDENTITY_INNER_COLUMNS);
}

static void costs_of_gaps_that_do_not_go_together_are_refused(void **state)
{
    (void)state;
    start();
    GIVE(&opts, gap_open, 40);
    assert_refused("--gap-open and --gap-extend go together");
    start();
    GIVE(&opts, gap_open, 40);
    GIVE(&opts, gap_extend, 4);
    GIVE(&opts, gap, -14); /* the default, but given */
    assert_refused("--gap-open and --gap-extend replace --gap");
    start();
    GIVE(&opts, gap_open, 4);
    GIVE(&opts, gap_extend, 40);
    assert_refused("--gap-open 2 is less than --gap-extend 20");
    start();
    GIVE(&opts, end_gap_extend, 2);
    assert_refused("--end-gap-open and --end-gap-extend go together");
    start();
    GIVE(&opts, end_gap_open, 2);
    GIVE(&opts, end_gap_extend, 2);
    GIVE(&opts, ends, ENDS_FREE); /* the default, but given */
    assert_refused("--end-gap-open and --end-gap-extend replace --ends");
    start();
    GIVE(&opts, end_gap_open, 0);
    GIVE(&opts, end_gap_extend, 2);
    assert_refused("--end-gap-open 0 is less than --end-gap-extend 1");
    start();
    GIVE(&opts, end_gap_open, 14);
    GIVE(&opts, end_gap_extend, 14);
    GIVE(&opts, min_overlap, ((fraction_t){1, 4}));
    assert_refused("--min-overlap applies only to");
}

static void assert_for_proteins(void)
{
    char why[JOB_OPTS_WHY_BYTES];

    assert_int_equal(align_opts_set_alphabet(&opts, ALPHABET_PROTEIN, why), ST_OK);
}

/* Whether the alphabet is given, or found in the sequences after the options are settled.
 */
static void proteins_have_defaults_of_their_own(void **state)
{
    (void)state;
    for (int given = 0; given < 2; given++) {
        start();
        opts.fasta.alphabet = given ? ALPHABET_PROTEIN : ALPHABET_AUTO;
        assert_settled();
        assert_for_proteins();
        assert_string_equal(opts.matrix, "BLOSUM62");
        assert_int_equal(opts.gap_open, 11);
        assert_int_equal(opts.gap_extend, 1);
        assert_int_equal(opts.gap, -1);
        assert_int_equal(opts.ends, ENDS_FREE);
    }
    start();
    GIVE(&opts, gap, 2 * -4);
    opts.matrix = "PAM250";
    assert_settled();
    assert_for_proteins();
    assert_string_equal(opts.matrix, "PAM250");
    assert_int_equal(opts.gap_open, 4);
    assert_int_equal(opts.gap_extend, 4);
}

static void options_for_dna_alone_refuse_proteins(void **state)
{
    char why[JOB_OPTS_WHY_BYTES];

    (void)state;
    start();
    opts.fasta.alphabet = ALPHABET_PROTEIN;
    opts.prepare.orient = true;
    assert_refused("--orient is for DNA alone");
    start();
    opts.fasta.alphabet = ALPHABET_PROTEIN;
    GIVE(&opts, end_gap_open, 4);
    GIVE(&opts, end_gap_extend, 4);
    assert_refused("--end-gap-open and --end-gap-extend need --gap-open");
    start();
    opts.fasta.alphabet = ALPHABET_PROTEIN;
    GIVE(&opts, end_gap_open, 14);
    GIVE(&opts, end_gap_extend, 14); /* those of other gaps in DNA */
    assert_refused("--end-gap-open and --end-gap-extend need --gap-open");
    start();
    GIVE(&opts, mismatch, 2 * -3);
    assert_settled(); /* the alphabet is not known yet */
    assert_int_equal(align_opts_set_alphabet(&opts, ALPHABET_DNA, why), ST_OK);
    assert_int_equal(align_opts_set_alphabet(&opts, ALPHABET_PROTEIN, why), ST_EUSAGE);
    assert_non_null(strstr(why, "--mismatch is for DNA alone"));
}

static void a_kernel_of_one_kind_of_device_sets_the_device(void **state)
{
    (void)state;
    start();
    opts.common.kernel = "scalar";
    assert_settled();
    assert_string_equal(opts.common.device, "cpu");
    start();
    opts.common.kernel = "scalar";
    opts.common.device = "cuda:1";
    assert_refused("--kernel scalar does not run on --device cuda:1");
    start();
    opts.common.kernel = "scalar";
    GIVE(&opts, device_bytes, INT64_C(1) << 30);
    assert_refused("--device is cpu");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_that_are_not_given_get_their_defaults),
        cmocka_unit_test(options_of_an_earlier_result_are_settled_when_they_are_known),
        cmocka_unit_test(scores_stay_in_halves_if_one_of_them_is_no_whole_number),
        cmocka_unit_test(options_that_are_given_are_kept),
        cmocka_unit_test(options_that_exclude_each_other_are_refused_by_name),
        cmocka_unit_test(costs_of_gaps_agree_with_scores_and_ends),
        cmocka_unit_test(costs_of_gaps_that_do_not_go_together_are_refused),
        cmocka_unit_test(proteins_have_defaults_of_their_own),
        cmocka_unit_test(options_for_dna_alone_refuse_proteins),
        cmocka_unit_test(a_kernel_of_one_kind_of_device_sets_the_device),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
